import Pusher from 'pusher';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppConfig } from 'rookery/channels';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { type ReceivedWebhook, WebhookReceiver } from '../support/webhook-receiver.js';

const holdMs = 300;
const otherApp = { id: '4', key: 'other-key', secret: 'other-secret' };

let receiver: WebhookReceiver;
let server: ChannelsServer;

beforeEach(async () => {
  receiver = await WebhookReceiver.start();
});
afterEach(async () => {
  await server.close();
  await receiver.close();
});

/** Serves the test app with the given settings; without webhooks among them, all events go to `/hook`. */
async function serve(...apps: Partial<AppConfig>[]): Promise<void> {
  const hook = [{ url: receiver.url('/hook') }];
  const defaults = { ...testApp, clientEvents: true, subscriptionCount: true, webhooks: hook };
  server = await startChannels({
    apps: apps.map((app) => ({ ...defaults, ...app })),
    // A busy machine has time to answer before a try ends.
    webhooks: { holdMs, cacheMissMs: 10_000, timeoutMs: 30_000 },
  });
}

const connect = (app = testApp) => SocketClient.connect(server.port, app);

/** As the official server library sees it. */
const verified = (webhook: ReceivedWebhook, { id, key, secret } = testApp) =>
  new Pusher({ appId: id, key, secret, host: '' }).webhook({ headers: webhook.headers, rawBody: webhook.rawBody });

const only = (...events: string[]) => ({ webhooks: [{ url: receiver.url('/hook'), events }] });

describe('a webhook with a filter', () => {
  it('gets only events of channels with its prefix and suffix', async () => {
    const url = (path: string) => receiver.url(path);
    await serve({
      webhooks: [
        { url: url('/rooms'), filter: { channelNameStartsWith: 'presence-' } },
        {
          url: url('/eu'),
          events: ['channel_occupied'],
          filter: { channelNameStartsWith: 'n', channelNameEndsWith: '-eu' },
        },
        { url: url('/all'), events: ['channel_vacated'] },
      ],
    });
    const client = await connect();
    await client.subscribe('presence-room', { user_id: 'alice' });
    for (const channel of ['news-eu', 'news-us', 'old-news-eu', 'xpresence-room']) await client.subscribe(channel);
    client.close();
    await receiver.untilEvents('/all', 5);
    await receiver.untilEvents('/rooms', 4);
    expect(await receiver.untilEvents('/eu', 1)).toEqual([{ name: 'channel_occupied', channel: 'news-eu' }]);
    expect((await receiver.untilEvents('/rooms', 4)).map(({ name }: { name: string }) => name)).toEqual([
      'channel_occupied',
      'member_added',
      expect.stringMatching(/member_removed|channel_vacated/),
      expect.stringMatching(/member_removed|channel_vacated/),
    ]);
  });
});

describe('a webhook without encrypted channels', () => {
  it('receives the events of the other channels of the same batch', async () => {
    await serve({
      batchWebhooks: true,
      webhooks: [
        { url: receiver.url('/readable'), events: ['channel_occupied'], filter: { encryptedChannels: false } },
        { url: receiver.url('/all'), events: ['channel_occupied'] },
      ],
    });
    const client = await connect();
    for (const channel of ['private-encrypted-a', 'news', 'private-encrypted-cache-a', 'private-a'])
      await client.subscribe(channel);
    const named = (path: string, count: number) =>
      receiver.untilEvents(path, count).then((events) => events.map(({ channel }) => channel));
    expect(await named('/all', 4)).toEqual(['private-encrypted-a', 'news', 'private-encrypted-cache-a', 'private-a']);
    expect(await named('/readable', 2)).toEqual(['news', 'private-a']);
  });
});

describe('the official library verifies', () => {
  it('that a channel was occupied, and vacated after the hold', async () => {
    await serve(only('channel_occupied', 'channel_vacated'));
    const [alice, bob] = [await connect(), await connect()];
    for (const client of [alice, bob]) await client.subscribe('news');
    expect(await receiver.untilEvents('/hook', 1)).toEqual([{ name: 'channel_occupied', channel: 'news' }]);
    alice.close();
    bob.send({ event: 'pusher:unsubscribe', data: { channel: 'news' } });
    expect(await receiver.untilEvents('/hook', 2)).toMatchObject([{}, { name: 'channel_vacated', channel: 'news' }]);
    for (const webhook of receiver.at('/hook')) expect(verified(webhook).isValid()).toBe(true);
  });

  it('that members joined and left, in order, each user once', async () => {
    await serve(only('channel_occupied', 'channel_vacated', 'member_added', 'member_removed'));
    const channel = 'presence-room';
    const [phone, laptop] = [await connect(), await connect()];
    for (const client of [phone, laptop]) await client.subscribe(channel, { user_id: 7 });
    phone.close();
    laptop.close();
    expect(await receiver.untilEvents('/hook', 4)).toEqual([
      { name: 'channel_occupied', channel },
      { name: 'member_added', channel, user_id: '7' },
      { name: 'member_removed', channel, user_id: '7' },
      { name: 'channel_vacated', channel },
    ]);
    for (const webhook of receiver.at('/hook')) expect(verified(webhook).isValid()).toBe(true);
  });

  it('which connection of a member came first and which left last, if it asks for that', async () => {
    const events = ['member_added', 'member_removed'];
    await serve({
      webhooks: [
        { url: receiver.url('/hook'), events },
        { url: receiver.url('/sockets'), events, memberSocketIds: true },
      ],
    });
    const channel = 'presence-room';
    const [first, second] = [await connect(), await connect()];
    for (const each of [first, second]) await each.subscribe(channel, { user_id: '7' });
    // Its presence ends before the ping that follows is answered.
    first.send({ event: 'pusher:unsubscribe', data: { channel } });
    await first.settled('pusher:error');
    second.close();
    const member = { channel, user_id: '7' };
    expect(await receiver.untilEvents('/sockets', 2)).toEqual([
      { name: 'member_added', ...member, socket_id: first.socketId },
      { name: 'member_removed', ...member, socket_id: second.socketId },
    ]);
    expect(await receiver.untilEvents('/hook', 2)).toEqual([
      { name: 'member_added', ...member },
      { name: 'member_removed', ...member },
    ]);
  });

  it('that members joined, with every digit of their ids', async () => {
    await serve(only('member_added', 'client_event'));
    const channel = 'presence-room';
    const [alice, bob] = [await connect(), await connect()];
    await alice.subscribe(channel, '{"user_id":1234567890123456781}');
    await bob.subscribe(channel, '{"user_id":1234567890123456782}');
    expect(await receiver.untilEvents('/hook', 2)).toEqual([
      { name: 'member_added', channel, user_id: '1234567890123456781' },
      { name: 'member_added', channel, user_id: '1234567890123456782' },
    ]);
    bob.send({ event: 'client-x', channel, data: '' });
    expect(await alice.next('client-x')).toMatchObject({ user_id: '1234567890123456782' });
    expect((await receiver.untilEvents('/hook', 3))[2]).toMatchObject({ user_id: '1234567890123456782' });
  });

  it('client events, with their sender', async () => {
    await serve(only('client_event'));
    const alice = await connect();
    await alice.subscribe('presence-room', { user_id: 'alice' });
    await alice.subscribe('private-room');
    alice.send({ event: 'client-typing', channel: 'presence-room', data: { text: 'ünïcödé 💬' } });
    alice.send({ event: 'client-typing', channel: 'private-room', data: 'as it is' });
    const typing = { name: 'client_event', event: 'client-typing', socket_id: alice.socketId };
    const events = await receiver.untilEvents('/hook', 2);
    const at = (channel: string) => events.find((event) => event.channel === channel);
    expect(at('presence-room')).toEqual({
      ...typing,
      channel: 'presence-room',
      data: '{"text":"ünïcödé 💬"}',
      user_id: 'alice',
    });
    expect(at('private-room')).toEqual({ ...typing, channel: 'private-room', data: 'as it is' });
    for (const webhook of receiver.at('/hook')) expect(verified(webhook).isValid()).toBe(true);
  });

  it('one cache miss for all concurrent subscribers', async () => {
    await serve(only('cache_miss', 'channel_vacated'));
    const clients = await Promise.all(Array.from({ length: 10 }, () => connect()));
    await Promise.all(clients.map((client) => client.subscribe('cache-news')));
    for (const client of clients) client.close();
    expect(await receiver.untilEvents('/hook', 2)).toEqual([
      { name: 'cache_miss', channel: 'cache-news' },
      { name: 'channel_vacated', channel: 'cache-news' },
    ]);
  });

  it('how many are subscribed', async () => {
    await serve(only('subscription_count'));
    for (let count = 1; count <= 2; count += 1) await (await connect()).subscribe('news');
    const counts = (await receiver.untilEvents('/hook', 2)).map((event) => event.subscription_count);
    expect(counts).toEqual([1, 2]);
    for (const webhook of receiver.at('/hook')) expect(verified(webhook).isValid()).toBe(true);
  });

  it('when it happened: the time of the webhook is its creation', async () => {
    await serve({});
    const before = Date.now();
    await (await connect()).subscribe('news');
    await receiver.untilEvents('/hook', 1);
    const [webhook] = receiver.at('/hook');
    expect(webhook?.headers['content-type']).toBe('application/json');
    expect(verified(webhook!).getTime().getTime()).toBeGreaterThanOrEqual(before);
    expect(verified(webhook!).getTime().getTime()).toBeLessThanOrEqual(Date.now());
  });

  it('not a webhook with a changed body', async () => {
    await serve({});
    await (await connect()).subscribe('news');
    await receiver.untilEvents('/hook', 1);
    const [webhook] = receiver.at('/hook');
    expect(verified({ ...webhook!, rawBody: webhook!.rawBody.replace('news', 'olds') }).isValid()).toBe(false);
  });
});

it('sends nothing when a client only reconnects', async () => {
  const hook = only('channel_occupied', 'channel_vacated', 'member_added', 'member_removed');
  // So long a hold that what is not taken back is told by the shutdown.
  server = await startChannels({ apps: [{ ...testApp, ...hook }], webhooks: { holdMs: 60_000 } });
  for (let connection = 0; connection < 3; connection += 1) {
    const alice = await connect();
    await alice.subscribe('presence-room', { user_id: 'alice' });
    alice.close();
    await alice.closing();
  }
  await server.close();
  expect(receiver.events('/hook').map(({ name }) => name as string)).toEqual([
    'channel_occupied',
    'member_added',
    'member_removed',
    'channel_vacated',
  ]);
});

it('gives each endpoint what it selected', async () => {
  await serve({
    webhooks: [
      { url: receiver.url('/members'), events: ['member_added', 'member_removed'] },
      { url: receiver.url('/channels'), events: ['channel_occupied'], headers: { 'X-Environment': 'test' } },
    ],
  });
  await (await connect()).subscribe('presence-room', { user_id: '7' });
  expect(await receiver.untilEvents('/members', 1)).toMatchObject([{ name: 'member_added' }]);
  expect(await receiver.untilEvents('/channels', 1)).toMatchObject([{ name: 'channel_occupied' }]);
  expect(receiver.at('/channels')[0]?.headers).toMatchObject({ 'x-environment': 'test' });
});

it('isolates apps: events of one are never sent to, or signed for, another', async () => {
  // One URL for both: what tells them apart is only the app.
  await serve({}, { ...otherApp, batchWebhooks: true });
  const [alice, eve] = [await connect(), await connect(otherApp)];
  for (const channel of ['a', 'b', 'c']) {
    await alice.subscribe(`mine-${channel}`);
    await eve.subscribe(`theirs-${channel}`);
  }
  await receiver.untilEvents('/hook', 12);
  for (const webhook of receiver.at('/hook')) {
    const isMine = webhook.headers['x-pusher-key'] === testApp.key;
    expect(verified(webhook, isMine ? testApp : otherApp).isValid()).toBe(true);
    expect(verified(webhook, isMine ? otherApp : testApp).isValid()).toBe(false);
    expect(webhook.rawBody).not.toContain(isMine ? 'theirs-' : 'mine-');
  }
});

it('sends several events in one body to an app with batches', async () => {
  await serve({ ...only('channel_occupied'), batchWebhooks: true });
  const alice = await connect();
  const channels = Array.from({ length: 20 }, (_, index) => `news-${index}`);
  for (const channel of channels) await alice.subscribe(channel);
  const events = await receiver.untilEvents('/hook', 20);
  expect(events.map(({ channel }) => channel as string)).toEqual(channels);
  expect(receiver.at('/hook').length).toBeLessThan(5);
  for (const webhook of receiver.at('/hook')) expect(verified(webhook).isValid()).toBe(true);
});

it('tries again until the endpoint accepts, with the same bytes and signature', async () => {
  await serve({});
  let tries = 0;
  receiver.reply('/hook', (response) => void response.writeHead(++tries < 3 ? 503 : 204).end());
  await (await connect()).subscribe('presence-news', { user_id: '7' });
  await until(() => receiver.at('/hook').length >= 4, 'each is accepted');
  const occupied = receiver.at('/hook').filter(({ rawBody }) => rawBody.includes('channel_occupied'));
  expect(occupied.length).toBeGreaterThan(1);
  expect(new Set(occupied.map(({ rawBody, headers }) => rawBody + headers['x-pusher-signature']))).toHaveProperty(
    'size',
    1,
  );
});

it('does not let a failing, hanging or unreachable endpoint delay another', async () => {
  receiver.reply('/hangs', () => {});
  receiver.reply('/fails', (response) => void response.writeHead(500).end());
  await serve({
    webhooks: [
      { url: receiver.url('/hangs') },
      { url: receiver.url('/fails') },
      { url: 'http://127.0.0.1:1/away' },
      { url: receiver.url('/fine'), events: ['channel_occupied'] },
    ],
  });
  const alice = await connect();
  for (let index = 0; index < 100; index += 1) await alice.subscribe(`news-${index}`);
  await receiver.untilEvents('/fine', 100);
  // Its first try has not even timed out.
  expect(receiver.at('/hangs')).toHaveLength(1);
});

it('reports all channels as vacated at the shutdown, without the hold', async () => {
  await serve({});
  const alice = await connect();
  await alice.subscribe('presence-room', { user_id: 'alice' });
  await receiver.untilEvents('/hook', 2);
  await server.close();
  expect(receiver.events('/hook').slice(2)).toEqual([
    { name: 'member_removed', channel: 'presence-room', user_id: 'alice' },
    { name: 'channel_vacated', channel: 'presence-room' },
  ]);
});
