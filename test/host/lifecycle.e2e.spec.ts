import { Injectable, Scope } from '@nestjs/common';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type ChannelActivity,
  ChannelsLifecycle,
  ChannelsModule,
  type ClientEventActivity,
  EventsService,
  type MemberActivity,
  OnCacheMiss,
  OnChannelOccupied,
  OnChannelVacated,
  OnClientEvent,
  OnMemberAdded,
  OnMemberRemoved,
  OnUserOffline,
  OnUserOnline,
  type UserActivity,
} from 'rookery/channels';
import { MemoryJobStore } from 'rookery/jobs';
import { PresenceModule } from 'rookery/presence';
import { OnPublishFinished, type PublishFinished, PublishService } from 'rookery/publish';
import { testApp } from '../support/channels-server.js';
import { createHost, listen } from '../support/embedding-host.js';
import { instance } from '../support/push-app.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

type Heard = readonly [what: string, payload: object];

/** A provider of a host's. */
@Injectable()
class Orders {
  readonly heard: Heard[] = [];
  refusals = 0;

  @OnChannelOccupied('presence-orders.*')
  opened(happening: ChannelActivity) {
    this.heard.push(['opened', happening]);
  }

  @OnChannelVacated('presence-orders.*')
  closed(happening: ChannelActivity) {
    this.heard.push(['closed', happening]);
  }

  @OnMemberAdded()
  @OnMemberRemoved()
  moved(happening: MemberActivity) {
    this.heard.push(['moved', happening]);
  }

  @OnClientEvent('client-typing')
  async typing(happening: ClientEventActivity) {
    if (this.refusals-- > 0) throw new Error('not now');
    this.heard.push(['typing', happening]);
  }

  @OnCacheMiss('cache-*')
  missed(happening: ChannelActivity) {
    this.heard.push(['missed', happening]);
  }

  @OnUserOnline()
  came(happening: UserActivity) {
    this.heard.push(['came', happening]);
  }

  @OnUserOffline()
  went(happening: UserActivity) {
    this.heard.push(['went', happening]);
  }
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const appId = testApp.id;
const at = expect.any(Date) as Date;

async function host({ outbox = new MemoryJobStore(), holdMs = 1, providers = [Orders] as never[] } = {}) {
  const { app, lines } = await createHost({
    imports: [
      PresenceModule.forRoot(),
      ChannelsModule.forRoot({
        apps: [{ ...testApp, clientEvents: true }],
        webhooks: { holdMs },
        webhookSender: { pollMs: 10 },
        webhookOutbox: { useValue: outbox },
      }),
    ],
    providers,
  });
  closing.push(() => app.close());
  const { port } = await listen(app);
  return { app, lines, port };
}

async function hostWithOrders(settings?: Parameters<typeof host>[0]) {
  const { app, lines, port } = await host(settings);
  const { heard } = app.get(Orders);
  const hears = (...expected: Heard[]) =>
    until(() => heard.length >= expected.length, 'the listener is called').then(() => expect(heard).toEqual(expected));
  return { app, lines, orders: app.get(Orders), hears, client: () => connected(port) };
}

async function connected(port: number): Promise<SocketClient> {
  const client = await SocketClient.connect(port);
  closing.unshift(() => client.close());
  return client;
}

describe('a method of a provider', () => {
  it("receives the events of its pattern's channels, and of members that join and leave", async () => {
    const { client, orders } = await hostWithOrders();
    const alice = await client();
    await alice.subscribe('presence-other', { user_id: 'alice' });
    await alice.subscribe('presence-orders.7', { user_id: 'alice' });
    alice.close();
    await until(() => orders.heard.length >= 6, 'all is heard');
    const [order, other] = ['presence-orders.7', 'presence-other'].map((channel) => ({ appId, channel, at }));
    const of = (channel: string) =>
      orders.heard.filter(([, happening]) => 'channel' in happening && happening.channel === channel);
    expect(of('presence-other')).toEqual([
      ['moved', { ...other, userId: 'alice' }],
      ['moved', { ...other, userId: 'alice' }],
    ]);
    expect(of('presence-orders.7').slice(0, 2)).toEqual(
      expect.arrayContaining([
        ['opened', order],
        ['moved', { ...order, userId: 'alice' }],
      ]),
    );
    expect(of('presence-orders.7').slice(2)).toEqual(
      expect.arrayContaining([
        ['moved', { ...order, userId: 'alice' }],
        ['closed', order],
      ]),
    );
  });

  it('gets nothing for a connection that was only replaced', async () => {
    const { client, orders } = await hostWithOrders({ holdMs: 60_000 });
    const alice = await client();
    await alice.subscribe('presence-room', { user_id: 'alice' });
    alice.close();
    await alice.closing();
    const again = await client();
    await again.subscribe('presence-room', { user_id: 'alice' });
    await again.subscribe('presence-room-2', { user_id: 'last' });
    const users = () => orders.heard.map(([, happening]) => (happening as MemberActivity).userId);
    await until(() => users().includes('last'), 'the last is heard');
    expect(users()).toEqual(['alice', 'last']);
  });

  it('gets client events by name, and is called again if it throws', async () => {
    const { client, orders, hears, lines } = await hostWithOrders();
    orders.refusals = 1;
    const alice = await client();
    await alice.subscribe('private-chat');
    for (const event of ['client-other', 'client-typing'])
      alice.send({ event, channel: 'private-chat', data: { on: true } });
    const happening = { appId, channel: 'private-chat', event: 'client-typing', data: '{"on":true}', at };
    await hears(['typing', { ...happening, socketId: alice.socketId }]);
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', text: 'Orders.typing failed' }));
  });

  it('gets cache misses', async () => {
    const { client, hears } = await hostWithOrders();
    await (await client()).subscribe('cache-prices');
    await hears(['missed', { appId, channel: 'cache-prices', at }]);
  });

  it('receives the first sign-in and the last sign-out of users', async () => {
    const { client, hears } = await hostWithOrders();
    const [first, second] = [await client(), await client()];
    for (const each of [first, second]) await each.signin({ id: 'auth0|7' });
    const user = { appId, userId: 'auth0|7', at };
    await hears(['came', user]);
    first.close();
    await first.closing();
    second.close();
    await hears(['came', user], ['went', user]);
  });

  it('is called once over all processes', async () => {
    const outbox = new MemoryJobStore();
    const both = [await hostWithOrders({ outbox }), await hostWithOrders({ outbox })];
    for (const [i, { client }] of both.entries()) await (await client()).subscribe(`cache-${i}`);
    const heard = () =>
      both.flatMap(({ orders }) => orders.heard.map(([, happening]) => (happening as ChannelActivity).channel));
    await until(() => heard().length >= 2, 'both are heard');
    expect(new Set(heard())).toEqual(new Set(['cache-0', 'cache-1']));
    expect(heard()).toHaveLength(2);
  });

  it('does not delay sockets', async () => {
    let finish = (): void => {};
    const slow = new Promise<void>((resolve) => (finish = resolve));
    closing.push(finish);
    @Injectable()
    class Slow {
      @OnChannelOccupied()
      async opened() {
        await slow;
      }
    }
    const { app, port } = await host({ providers: [Slow] as never[] });
    const alice = await connected(port);
    await alice.subscribe('news');
    await app.get(EventsService).trigger(appId, { name: 'headline', channel: 'news', data: 'hi' });
    expect(await alice.next('headline')).toMatchObject({ data: 'hi' });
  });

  it('must not belong to a request-scoped provider', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class ForEach {
      @OnChannelOccupied()
      opened() {}
    }
    await expect(host({ providers: [ForEach] as never[] })).rejects.toThrow(
      'ForEach.opened listens to channel_occupied: its class must not be request-scoped',
    );
  });
});

it('is also available as an observable', async () => {
  const { app, port } = await host({ providers: [] });
  const occupied: ChannelActivity[] = [];
  app
    .get(ChannelsLifecycle)
    .on('channel_occupied', 'a*')
    .subscribe((happening) => occupied.push(happening));
  const alice = await connected(port);
  for (const channel of ['b', 'a1', 'a2']) await alice.subscribe(channel);
  await until(() => occupied.length >= 2, 'both are heard');
  expect(occupied.map(({ channel }) => channel).toSorted()).toEqual(['a1', 'a2']);
});

it('gets finished publishes', async () => {
  const finished: PublishFinished[] = [];
  @Injectable()
  class Campaigns {
    @OnPublishFinished()
    over(publish: PublishFinished) {
      finished.push(publish);
    }
  }
  const { app } = await createHost({ providers: [Campaigns] });
  closing.push(() => app.close());
  await listen(app);
  const { publishId } = await app
    .get(PublishService)
    .publishToInterests(instance.id, { interests: ['nobody'], fcm: { notification: { title: 'Hello' } } });
  await until(() => finished.length > 0, 'the listener is called');
  const platforms = { fcm: expect.objectContaining({ sent: 0 }) as object };
  expect(finished).toEqual([{ instanceId: instance.id, publishId, platforms, at }]);
});
