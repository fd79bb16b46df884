import { Injectable } from '@nestjs/common';
import Echo from 'laravel-echo';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ChannelState, EventsService, type StateRequest } from 'rookery/channels';
import { state } from '@rookery/client';
import { ChannelsProvider, useChannelState } from '@rookery/client/react';
import { startHost } from '../support/channels-host.js';
import { testApp } from '../support/channels-server.js';
import { PusherJs } from '../support/pusher-js.js';
import { until } from '../support/until.js';

// What docs/state.md shows.

interface Order {
  readonly id: number;
  readonly shop: string;
  readonly state: string;
}

/** Stands for a repository of TypeORM. */
class OrdersTable {
  readonly all = new Map<number, Order>();

  async find({ where }: { readonly where: { readonly shop: string } }): Promise<Order[]> {
    return [...this.all.values()].filter(({ shop }) => shop === where.shop);
  }
}

@Injectable()
class Shops {
  readonly orders = new OrdersTable();

  constructor(private readonly events: EventsService) {}

  @ChannelState('shop.{id}')
  latest({ params }: StateRequest): Promise<Order[]> {
    return this.orders.find({ where: { shop: params['id']! } });
  }

  async change(order: Order): Promise<void> {
    this.orders.all.set(order.id, order);
    await this.events.trigger(testApp.id, { name: 'order', channel: `shop.${order.shop}`, data: order });
  }
}

/** In JavaScript, data has any type. */
type PageOf<Client> = Omit<Client, 'subscribe'> & {
  subscribe(name: string): { bind(event: string, callback: (data: any) => void): unknown };
};

let host: Awaited<ReturnType<typeof startHost>>;
let shops: Shops;
let pusher: PageOf<PusherJs>;
const clients: { disconnect(): void }[] = [];
const options = () => ({
  cluster: '',
  wsHost: '127.0.0.1',
  wsPort: host.port,
  forceTLS: false,
  enabledTransports: ['ws' as const],
});

beforeAll(async () => {
  host = await startHost('Fastify', [Shops], () => {});
  shops = host.app.get(Shops);
  await shops.change({ id: 1, shop: '7', state: 'placed' });
  await shops.change({ id: 2, shop: '8', state: 'placed' });
  const client = new PusherJs(testApp.key, options());
  clients.push(client);
  pusher = client;
});
afterEach(() => pusher.unsubscribe('shop.7'));
afterAll(async () => {
  for (const client of clients) client.disconnect();
  await host.close();
});

const isIn = (wanted: string, all: Iterable<Order> | undefined) =>
  until(() => [...(all ?? [])].map(({ id, state: of }) => `${id} ${of}`).join() === wanted, `the page shows ${wanted}`);

it('shows the orders of a shop with stock pusher-js', async () => {
  const orders = new Map();
  const channel = pusher.subscribe('shop.7');
  channel.bind('order', (order) => orders.set(order.id, order));
  channel.bind('rookery:state', ({ state }) => {
    orders.clear();
    for (const order of state) orders.set(order.id, order);
  });
  await until(() => orders.size === 1, 'the state has come');
  await shops.change({ id: 1, shop: '7', state: 'in the oven' });
  await until(() => orders.get(1).state === 'in the oven', 'the change has come');
  await isIn('1 in the oven', orders.values());
});

it('shows them with state(), in React, and with Echo', async () => {
  const withOrder = (all: readonly Order[], order: Order) => [...all.filter(({ id }) => id !== order.id), order];
  let shown: readonly Order[] = [];
  const show = (all: readonly Order[]) => void (shown = all);

  const live = state(pusher.subscribe('shop.7'), { order: withOrder });
  live.subscribe((all) => show(all));

  const useOrders = () => useChannelState('shop.7', { order: withOrder });
  const rendered = () => createElement('p', null, useOrders()?.map(({ state: of }) => of) ?? 'nothing yet');
  const page = createElement(ChannelsProvider, { client: undefined }, createElement(rendered));
  expect(renderToString(page)).toBe('<p>nothing yet</p>');

  const echo = new Echo({ broadcaster: 'pusher', key: testApp.key, Pusher: PusherJs, ...options() });
  clients.push(echo);
  const ofEcho = state(echo.channel('shop.7').subscription, { order: withOrder });

  await until(() => shown.length > 0 && ofEcho.current !== undefined, 'both states have come');
  await shops.change({ id: 3, shop: '7', state: 'placed' });
  await until(() => shown.length === 2 && ofEcho.current?.length === 2, 'the change has come to both');
  expect(ofEcho.current).toEqual(shown);
  await isIn('1 in the oven,3 placed', live.current);
});
