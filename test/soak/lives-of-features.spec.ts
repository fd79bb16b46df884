import { Injectable, Module } from '@nestjs/common';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { newSessionId } from '@rookery/client';
import { RookeryTesting, testingApp, testingInstance } from '@rookery/testing';
import { ChannelsModule, ChannelState, EventsService, OnRequest, StreamsService } from 'rookery/channels';
import { NotificationsModule, NotificationsService } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { DevicesService, PushDeviceModule } from 'rookery/push-device';
import { grown, sizesIn } from '../support/held-sizes.js';
import { HttpClient, httpWays } from '../support/http-client.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

// A hundred lives that use features, of which no collection of any class may keep anything once they have ended.

const [lives, atOnce] = [100, 10];
/** Longer than anything of a life is kept, but for what is remembered and publishes, which are looked through once an hour. */
const keptMs = 400_000;
const publishKeptMs = 2 * 3_600_000;
/** So that the time passes quickly. */
const pollMs = 60_000;
/** What is remembered for longer: the latest ones, however many there were. */
const remembered = [
  'InProcessBroker.histories.past', // Channels that have lost their events: 64 MB at most.
  'Budgets.ledger.accounts', // A thousand, before any is forgotten.
  'MemoryIdempotencyKeys.keys', // Replies: 128 MB.
  'MemoryReceiptRepository.events', // Receipts: 64 MB.
  'Replay.repeated.latest', // Replays: 10,000.
  'WebhooksService.appearances.sent', // Webhooks: 5,000.
];
vi.setConfig({ testTimeout: 120_000 });

@Injectable()
class Answers {
  @ChannelState('state-{id}')
  read() {
    return { cards: [] };
  }

  @OnRequest('state-{id}', 'move')
  move(): string {
    return 'moved';
  }

  @OnRequest('late')
  late(): Promise<never> {
    return new Promise(() => {});
  }
}

@Module({ providers: [Answers] })
class AnswersModule {}

let rookery: RookeryTesting;
let webhooks: WebhookReceiver;
beforeAll(async () => {
  webhooks = await WebhookReceiver.start();
  const app = {
    ...testingApp,
    subscriptionCount: true,
    history: [
      { channels: 'kept-*', seconds: 60 },
      { channels: 'answer-*', seconds: 60, streams: true },
    ],
    webhooks: [{ url: webhooks.url('/') }],
  };
  rookery = await RookeryTesting.start([
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({
      apps: [app],
      limits: { subscribesPerSecond: 10_000, newChannelsPerMinute: 1_000_000 },
      cacheTtlSeconds: 60,
      sessions: { keepSeconds: 60 },
      requests: { timeoutMs: 50, perSecond: 10_000, underWay: 10_000 },
      webhooks: { holdMs: 10 },
      allowPrivateNetwork: true,
    }),
    PushDeviceModule.forRoot({ instances: [testingInstance] }),
    PublishModule.forRoot({ pollMs, retentionMs: 600_000, outcomeRetentionMs: 300_000 }),
    NotificationsModule.forRoot({ apps: [{ app: testingApp.id, pushAfterSeconds: 0 }], pollMs }),
    AnswersModule,
  ]);
});
afterAll(async () => {
  await rookery.close();
  await webhooks.close();
});

let lived = 0;

/** Leads lives, one of them after all others have expired: some are forgotten when the next one comes. */
async function lead(count: number, life: (n: number) => Promise<void>, ms: number): Promise<void> {
  const end = lived + count;
  const next = async (): Promise<void> => {
    while (lived < end) await life(lived++);
  };
  await Promise.all(Array.from({ length: atOnce }, next));
  await rookery.clock.advance(ms);
  await life(lived++);
  await rookery.clock.advance(ms);
  rookery.reset();
}

/** What collections have more of than before. */
async function leftBy(life: (n: number) => Promise<void>, ms = keptMs): Promise<readonly string[]> {
  await lead(2 * atOnce, life, ms);
  const before = sizesIn(rookery.app);
  await lead(lives, life, ms);
  const more = Object.entries(grown(before, sizesIn(rookery.app), lives)).filter(
    ([path]) => !remembered.some((each) => path.startsWith(each)),
  );
  return more.map(([path, count]) => `${count} in ${path}`);
}

it('leaves nothing of clients that subscribe, speak, and close, leave or break off', async () => {
  const events = rookery.get(EventsService);
  const left = await leftBy(async (n) => {
    const client = await SocketClient.connect(rookery.port, testingApp);
    await client.signin({ id: `user-${n}`, watchlist: [`friend-${n}`, 'everybody'] });
    const channels = [`public-${n}`, `private-${n}`, `cache-${n}`, `kept-${n}`];
    for (const channel of channels) await client.subscribe(channel);
    await client.subscribe(`presence-${n}`, { user_id: `user-${n}` });
    client.send({ event: 'client-typing', channel: `presence-${n}`, data: {} });
    await events.trigger(testingApp.id, { name: 'news', channels, data: { n } });
    await client.next('news');
    if (n % 4 === 0) for (const channel of channels) client.send({ event: 'pusher:unsubscribe', data: { channel } });
    if (n % 2 === 0) client.socket.terminate();
    else client.close();
    await client.closing();
  });
  expect(left).toEqual([]);
});

it.each(httpWays)('leaves nothing of clients over HTTP (%s)', async (way) => {
  const left = await leftBy(async (n) => {
    const client = await HttpClient.connect(rookery.port, way, testingApp);
    await client.subscribe(`private-${n}`);
    await client.subscribe(`presence-${n}`, { user_id: `user-${n}` });
    client.send({ event: 'client-typing', channel: `presence-${n}`, data: {} });
    client.close();
  });
  expect(left).toEqual([]);
});

it('leaves nothing of sessions, whether their clients come back or not', async () => {
  const events = rookery.get(EventsService);
  const left = await leftBy(async (n) => {
    const session = newSessionId();
    for (let connections = 0; connections <= n % 3; connections++) {
      const client = await SocketClient.connect(rookery.port, testingApp, session);
      await client.subscribe(`kept-${n}`);
      await events.trigger(testingApp.id, { name: 'news', channel: `kept-${n}`, data: { n } });
      await client.next('news');
      client.socket.terminate();
      await client.closing();
    }
  });
  expect(left).toEqual([]);
});

it('leaves nothing of states and requests, answered or late, asked by those who wait or have gone', async () => {
  const left = await leftBy(async (n) => {
    const client = await SocketClient.connect(rookery.port, testingApp, n % 2 === 0 ? newSessionId() : undefined);
    await client.subscribe(`state-${n}`);
    await client.next('rookery:state');
    client.send({ event: 'rookery:request', channel: `state-${n}`, data: { id: `a${n}`, name: 'move' } });
    await client.next('rookery:reply');
    client.send({ event: 'rookery:request', data: { id: `b${n}`, name: 'late' } });
    if (n % 3 === 0) await client.next('rookery:reply');
    client.close();
    await client.closing();
  });
  expect(left).toEqual([]);
});

it('leaves nothing of streams, with readers and without, ended and silent', async () => {
  const streams = rookery.get(StreamsService);
  const left = await leftBy(async (n) => {
    const reader = n % 2 === 0 ? await SocketClient.connect(rookery.port, testingApp) : undefined;
    await reader?.subscribe(`answer-${n}`);
    const stream = await streams.begin(`answer-${n}`, 'answer');
    stream.append('Hello');
    if (n % 3 !== 0) await stream.end();
    reader?.close();
    await reader?.closing();
  });
  expect(left).toEqual([]);
});

it('leaves nothing of receipts', async () => {
  const events = rookery.get(EventsService);
  const left = await leftBy(async (n) => {
    const client = await SocketClient.connect(rookery.port, testingApp);
    await client.subscribe(`presence-${n}`, { user_id: `user-${n}` });
    await events.trigger(testingApp.id, { name: 'news', channel: `presence-${n}`, data: { n }, info: 'receipts' });
    await client.next('news');
    await client.next('pusher:ping');
    client.send({ event: 'pusher:pong', data: {} });
    client.close();
    await client.closing();
  });
  expect(left).toEqual([]);
});

it('leaves nothing of devices, publishes and notifications', async () => {
  const [notifications, devices] = [rookery.get(NotificationsService), rookery.get(DevicesService)];
  const left = await leftBy(async (n) => {
    const user = `user-${n}`;
    const { id } = await rookery.register({ user, interests: [`interest-${n}`] });
    const told = await notifications.notify(user, {
      event: { name: 'message', data: { n } },
      push: { fcm: { notification: { title: 'Hi' } } },
    });
    await until(() => rookery.pushes.some(({ deviceId }) => deviceId === id), 'it is pushed');
    await notifications.delete(told);
    await devices.remove({ instanceId: testingInstance.id, platform: 'fcm', id });
  }, publishKeptMs);
  expect(left).toEqual([]);
});
