import { Injectable } from '@nestjs/common';
import { IsInt, IsString } from 'class-validator';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import { EventRefused, EventsService, TypedEvents, type TypedTriggerOptions } from 'rookery/channels';
import { typed } from '@rookery/client';
import { dataOf, defineEvents, type Json, type StandardSchema } from '@rookery/client/events';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { joined, PusherJs } from '../support/pusher-js.js';
import { until } from '../support/until.js';

class ShippedDto {
  @IsInt()
  readonly orderId!: number;
  @IsString()
  readonly carrier!: string;
}

/** As libraries make them: takes a text or a number of seconds, and sends a Date. */
const arrival: StandardSchema<number | string, { at: Date }> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: async (value) =>
      typeof value === 'boolean'
        ? { issues: [{ message: 'must be a time', path: ['at'] }] }
        : { value: { at: new Date(value as string) } },
  },
};

const events = defineEvents({
  'orders.{id}': { shipped: ShippedDto, arrived: arrival },
  'orders.{id}.lines': { changed: dataOf<{ count: number }>() },
  'presence-room.{name}': { 'client-typing': dataOf<boolean>(), topic: dataOf<string>() },
  'files-{path*}': { written: dataOf<{ bytes: number }>() },
});

@Injectable()
class Shipping {
  private readonly events: TypedEvents<typeof events>;

  constructor(service: EventsService) {
    this.events = new TypedEvents(service, events);
  }

  async ship(orderId: number): Promise<void> {
    await this.events.trigger(`orders.${orderId}`, 'shipped', { orderId, carrier: 'DHL' });
  }
}

let server: ChannelsServer;
let orders: TypedEvents<typeof events>;
let client: PusherJs;
beforeAll(async () => {
  server = await startChannels();
  orders = new TypedEvents(server.app.get(EventsService), events);
});
beforeEach(() => {
  client = new PusherJs(testApp.key, {
    cluster: '',
    wsHost: '127.0.0.1',
    wsPort: server.port,
    forceTLS: false,
    enabledTransports: ['ws'],
  });
});
afterEach(() => client.disconnect());
afterAll(() => server.close());

const shipped = { orderId: 7, carrier: 'DHL' };

it('delivers defined events to listeners', async () => {
  const live = typed<typeof events>(client);
  const heard: unknown[] = [];
  await joined(client, 'orders.7');
  live.subscribe('orders.7').bind('shipped', ({ carrier }) => heard.push(carrier));
  live.channel('orders.7')?.bind('arrived', ({ at }) => heard.push(at.slice(0, 4)));
  await new Shipping(server.app.get(EventsService)).ship(7);
  await orders.trigger('orders.7', 'arrived', '2026-01-01');
  await until(() => heard.length === 2, 'both have come');
  expect(heard).toEqual(['DHL', '2026']);
});

it('triggers on several channels of one kind', async () => {
  const heard: unknown[] = [];
  for (const name of ['orders.7', 'orders.8'])
    (await joined(client, name)).bind('shipped', (data: unknown) => heard.push(data));
  expect(await orders.trigger(['orders.7', 'orders.8'], 'shipped', shipped)).toEqual({});
  await until(() => heard.length === 2, 'both have come');
  expect(heard).toEqual([shipped, shipped]);
});

it('passes on the excluded connection, and the requested counts', async () => {
  const heard: unknown[] = [];
  const channel = await joined(client, 'orders.9');
  channel.bind('shipped', (data: unknown) => heard.push(data));
  await orders.trigger('orders.9', 'shipped', shipped, { socket_id: client.connection.socket_id });
  await orders.trigger('orders.9', 'shipped', { ...shipped, carrier: 'UPS' });
  await until(() => heard.length > 0, 'one has come');
  expect(heard).toEqual([{ ...shipped, carrier: 'UPS' }]);
});

it('triggers within a transaction of the host', async () => {
  const calls: unknown[][] = [];
  const service = {
    defaultApp: undefined,
    trigger: async (...call: unknown[]) => {
      calls.push(call);
      return {};
    },
  };
  const transaction = {} as NonNullable<TypedTriggerOptions['within']>;
  await new TypedEvents(service, events, '3').trigger('orders.7', 'shipped', shipped, { within: transaction });
  expect(calls).toEqual([['3', { name: 'shipped', channels: ['orders.7'], data: shipped }, { within: transaction }]]);
});

describe('data that does not match its definition is refused before it is sent', () => {
  const any = (): TypedEvents<any> => orders;
  it.each([
    ['orders.7', 'shipped', { ...shipped, carrier: 7 }, 'shipped on orders.7: data.carrier: carrier must be a string'],
    ['orders.7', 'shipped', { ...shipped, card: 1 }, 'data.card: property card should not exist'],
    ['orders.7', 'arrived', true, 'arrived on orders.7: data.at: must be a time'],
    ['orders.7', 'shiped', shipped, 'shiped on orders.7: the defined events are shipped, arrived'],
    ['orders.7', 'toString', shipped, 'the defined events are shipped, arrived'],
    ['orders.7.lines', 'shipped', shipped, 'shipped on orders.7.lines: the defined events are changed'],
    ['orders.', 'shipped', shipped, 'shipped on orders.: no events are defined for the channel'],
    [['orders.7', 'news'], 'shipped', shipped, 'shipped on news: no events are defined for the channel'],
  ])('%j %s %j', async (channel, event, data, message) => {
    const refused: unknown = await any()
      .trigger(channel, event, data)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(EventRefused);
    expect((refused as Error).message).toContain(message);
  });

  it('channels of two kinds are refused together', async () => {
    const both = defineEvents({ 'a-{x}': { e: dataOf<1>() }, 'b-{x}': { e: dataOf<1>() } });
    const triggering = new TypedEvents(server.app.get(EventsService), both).trigger(
      ['a-1', 'b-1'] as never,
      'e' as never,
      1 as never,
    );
    await expect(triggering).rejects.toThrow('e on a-1: the channels match different definitions');
  });
});

it.each([
  [{ 'orders.{id}': {}, 'orders.{path*}': {} }, 'a channel could match both orders.{id} and orders.{path*}'],
  [{ 'orders {id}': {} }, "'orders {id}' has a character that channel names cannot have"],
])('definitions that contradict each other are refused: %j', (definitions, message) => {
  expect(() => defineEvents(definitions)).toThrow(`defineEvents: ${message}`);
  expect(() => new TypedEvents(server.app.get(EventsService), definitions)).toThrow(`defineEvents: ${message}`);
});

it('requires the app if there are several', async () => {
  const two = await startChannels({ apps: [testApp, { ...testApp, id: '4', key: 'other' }] });
  const service = two.app.get(EventsService);
  expect(() => new TypedEvents(service, events)).toThrow('which app? Write new TypedEvents(events, definitions, app)');
  expect(await new TypedEvents(service, events, '4').trigger('orders.7', 'shipped', shipped)).toEqual({});
  await two.close();
});

// Checked by the compiler alone: nothing of it runs.
export function types(id: number, name: string): void {
  void orders.trigger(`orders.${id}`, 'shipped', shipped);
  void orders.trigger(`orders.${name}`, 'arrived', 7);
  void orders.trigger('orders.7.lines', 'changed', { count: 1 });
  void orders.trigger('files-a.b.c', 'written', { bytes: 1 });
  // @ts-expect-error no such channel
  void orders.trigger('news', 'shipped', shipped);
  // @ts-expect-error a parameter does not go over a dot
  void orders.trigger('orders.7.more', 'shipped', shipped);
  // @ts-expect-error no such event on this channel
  void orders.trigger('orders.7.lines', 'shipped', shipped);
  // @ts-expect-error a field is missing
  void orders.trigger('orders.7', 'shipped', { orderId: 7 });
  // @ts-expect-error any text might be any channel
  void orders.trigger(name, 'shipped', shipped);

  const live = typed<typeof events>(client);
  live.subscribe(`orders.${id}`).bind('shipped', (data) => expectTypeOf(data).toEqualTypeOf<Json<ShippedDto>>());
  live.subscribe('orders.7').bind('arrived', (data) => expectTypeOf(data).toEqualTypeOf<{ at: string }>());
  live.subscribe('orders.7').bind('pusher:subscription_succeeded', () => {});
  const room = live.subscribe('presence-room.kitchen');
  room.bind('client-typing', (isTyping, metadata) => {
    expectTypeOf(isTyping).toEqualTypeOf<boolean>();
    expectTypeOf(metadata?.user_id).toEqualTypeOf<string | undefined>();
  });
  room.trigger('client-typing', true);
  // @ts-expect-error a server's event
  room.trigger('topic', 'lunch');
  // @ts-expect-error no such event
  room.bind('shipped', () => {});
  // @ts-expect-error no such channel
  live.subscribe('presence-rooms.kitchen');

  expectTypeOf<Json<{ a: Date; b?: number[]; c: null; d(): void; e: [1, Date] }>>().toEqualTypeOf<{
    a: string;
    b?: number[];
    c: null;
    e: [1, string];
  }>();
}
