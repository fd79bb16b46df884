import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { settingsOf } from '#common';
import { App, EventsService } from 'rookery/channels';
import { newSessionId, seen } from '@rookery/client';
import { newReceipt } from '../../libs/channels/src/wings/receipts/receipt-names.js';
import { MemoryTransaction, MemoryTriggerOutbox } from '../support/memory-trigger.outbox.js';
import { SocketClient } from '../support/socket-client.js';
import { testApp } from '../support/test-app.js';
import { until } from '../support/until.js';
import { startReceipts } from './receipts-host.js';

const app = { ...testApp, clientEvents: true, history: [{ channels: 'presence-kept', events: 10 }] };

let host: Awaited<ReturnType<typeof startReceipts>>;
beforeAll(async () => {
  host = await startReceipts({ apps: [app], limits: { clientEventsPerSecond: 5 } });
});
afterAll(() => host.close());
afterEach(() => {
  host.disconnect();
  host.readers.heard.length = 0;
});

let rooms = 0;
const room = () => `presence-room-${(rooms += 1)}`;

describe('who has received an event', () => {
  it('is known of each user once, by stock pusher-js and the answer of stock trigger', async () => {
    const channel = room();
    const pages = [
      await host.page('alice', channel),
      await host.page('alice', channel),
      await host.page('bob', channel),
    ];
    const receipt = await host.send(channel, { text: 'hi' });
    await host.have(receipt, 'alice', 'bob');
    for (const { messages } of pages) expect(messages).toEqual([{ text: 'hi', rookery: { receipt } }]);
    const all = await host.receipts(receipt);
    expect(all.map(({ user_id, shown_at }) => [user_id, shown_at])).toEqual([
      ['alice', undefined],
      ['bob', undefined],
    ]);
    for (const { received_at } of all) expect(Math.abs(Date.parse(received_at) - Date.now())).toBeLessThan(60_000);
  });

  it('does not include the sender who is excluded, users who come later, or clients that do not answer', async () => {
    const channel = room();
    const [alice, bob] = [await host.page('alice', channel), await host.page('bob', channel)];
    const frozen = await SocketClient.connect(host.port);
    await frozen.subscribe(channel, { user_id: 'frozen' });
    const receipt = await host.send(channel, { text: 'hi' }, { socket_id: alice.client.connection.socket_id });
    await host.have(receipt, 'bob');
    await host.page('carol', channel);
    // A later event has been answered, and the earlier one still by Bob alone.
    const next = await host.send(channel, { text: 'next' });
    await host.have(next, 'alice', 'bob', 'carol');
    await host.have(receipt, 'bob');
    expect(bob.messages).toHaveLength(2);
    for (let n = 0; n < 2; n++) {
      await frozen.next('pusher:ping');
      frozen.send({ event: 'pusher:pong', data: {} });
    }
    await host.have(receipt, 'bob', 'frozen');
    await host.have(next, 'alice', 'bob', 'carol', 'frozen');
    frozen.close();
  });

  it('is known of users who are signed in, on private channels and by themselves', async () => {
    const { client } = await host.page('dora', 'private-orders');
    client.signin();
    await client.user.signinDonePromise;
    const receipt = await host.send('private-orders', {});
    await host.have(receipt, 'dora');
    const heard: unknown[] = [];
    client.user.bind('message', (data: unknown) => heard.push(data));
    const own = '#server-to-user-dora';
    const event = { name: 'message', channel: own, data: {}, info: 'receipts' };
    await until(() => client.user.serverToUserChannel?.subscribed ?? false, 'she hears what is sent to her');
    const { channels } = await host.app.get(EventsService).trigger(app.id, event);
    await host.have(channels![own]!.receipts!, 'dora');
    expect(heard).toEqual([{ rookery: { receipt: channels![own]!.receipts } }]);
  });

  it('includes a client that comes back and gets the event from the history', async () => {
    const session = `/session/${newSessionId()}`;
    const { client } = await host.page('erin', 'presence-kept', session);
    await host.have(await host.send('presence-kept', { n: 1 }), 'erin');
    // As when the network is gone.
    client.disconnect();
    await until(
      async () => !(await (await host.pusher.get({ path: '/channels' })).text()).includes('presence-kept'),
      'nobody is there',
    );
    const missed = await host.send('presence-kept', { n: 2 });
    expect(await host.receipts(missed)).toEqual([]);
    client.connect();
    await host.have(missed, 'erin');
  });

  it('is never claimed by the data of another event in the history, of a user or passed on for one', async () => {
    const mallory = await host.page('mallory', 'presence-kept');
    const older = await host.send('presence-kept', { n: 'older' });
    await host.have(older, 'mallory');
    const { client, messages } = await host.page('nina', 'presence-kept', `/session/${newSessionId()}`);
    client.disconnect();
    await until(
      async () =>
        !JSON.stringify(
          await host.pusher.get({ path: '/channels/presence-kept/users' }).then((r) => r.json()),
        ).includes('nina'),
      'she is gone',
    );
    const claim = { rookery: { receipt: older } };
    mallory.client.send_event('client-claim', claim, 'presence-kept');
    await host.pusher.trigger('presence-kept', 'message', claim);
    const missed = await host.send('presence-kept', { n: 'missed' });
    client.connect();
    await host.have(missed, 'mallory', 'nina');
    expect(messages).toContainEqual(claim);
    expect(await host.receipts(older)).toMatchObject([{ user_id: 'mallory' }]);
  });

  it('includes a new subscriber who gets the event from the cache', async () => {
    const channel = `presence-cache-${room()}`;
    const receipt = await host.send(channel, { n: 1 });
    await host.page('fred', channel);
    await host.have(receipt, 'fred');
  });

  it('is known of each event in a burst', async () => {
    const channel = room();
    await host.page('gina', channel);
    const events = host.app.get(EventsService);
    const sent = await Promise.all(
      Array.from({ length: 300 }, async (_, n) =>
        events.trigger(app.id, { name: 'message', channel, data: { n }, info: 'receipts' }),
      ),
    );
    for (const { channels } of sent) await host.have(channels![channel]!.receipts!, 'gina');
  });

  it('is answered for each event of a batch, with what else was asked for', async () => {
    const channel = room();
    await host.page('hans', channel);
    const answer = await host.pusher.triggerBatch([
      { channel, name: 'message', data: { n: 1 }, info: 'receipts,user_count' },
      { channel, name: 'message', data: { n: 2 } },
      { channel, name: 'message', data: { n: 3 }, info: 'user_count' },
    ]);
    const { batch } = (await answer.json()) as { batch: { receipts: string; user_count: number }[] };
    expect(batch).toEqual([{ user_count: 1, receipts: expect.any(String) }, {}, { user_count: 1 }]);
    await host.have(batch[0]!.receipts, 'hans');
  });
});

describe('who has shown an event', () => {
  it('is reported by one call of the page, also by stock pusher-js alone', async () => {
    const channel = room();
    const [alice, bob] = [await host.page('alice', channel), await host.page('bob', channel)];
    const receipt = await host.send(channel, { text: 'hi' });
    await until(() => alice.messages.length + bob.messages.length === 2, 'both have it');
    seen(alice.client.channel(channel), alice.messages[0]);
    bob.client.send_event('rookery:seen', { receipts: [bob.messages[0].rookery.receipt] }, channel);
    await until(
      async () => (await host.receipts(receipt)).filter(({ shown_at }) => shown_at).length === 2,
      'both have shown it',
    );
  });

  it('is reported in few messages, and waits while the page is offline', async () => {
    const channel = room();
    const { client, messages } = await host.page('ida', channel);
    const receipts: string[] = [];
    for (let n = 0; n < 250; n++) receipts.push(await host.send(channel, { n }));
    await until(() => messages.length === 250, 'all have come');
    client.disconnect();
    for (const message of messages) seen(client.channel(channel), message);
    seen(client.channel(channel), { text: 'without a receipt' });
    client.connect();
    for (const receipt of receipts)
      await until(async () => Boolean((await host.receipts(receipt))[0]?.shown_at), 'each is reported');
  });

  it('is refused without a subscription, a user or real receipts, and beyond the rate', async () => {
    const [channel, other] = [room(), room()];
    const client = await SocketClient.connect(host.port);
    const send = (on: string, ...receipts: unknown[]) =>
      client.send({ event: 'rookery:seen', channel: on, data: { receipts } });
    const refusal = async () => (await client.next('pusher:error')).data.message as string;
    const report = (...of: Parameters<typeof send>) => {
      send(...of);
      return refusal();
    };
    expect(await report(channel, 'x')).toBe(
      `No current subscription to channel ${channel}, or subscription in progress`,
    );
    await client.subscribe('private-nobody');
    const noUser = await report('private-nobody', 'x');
    expect(noUser).toContain('receipts are of users: sign in first');
    await client.subscribe(channel, { user_id: 'jane' });
    const elsewhere = await host.send(other, {});
    for (const receipt of [elsewhere, 'x', '', 'A'.repeat(43)])
      expect(await report(channel, receipt)).toContain('receipts must be those of events on the channel');
    expect(await report(channel)).toContain('receipts must be an array of 1 to 100 strings');
    expect(await report(channel, 7)).toContain('receipts must be an array of 1 to 100 strings');
    const refusals: string[] = [];
    for (let n = 0; n < 6; n++) send(channel, 'x');
    for (let n = 0; n < 6; n++) refusals.push(await refusal());
    expect(refusals.join()).toContain('Client event rate limit exceeded: at most 5 per second');
    expect(await host.receipts(elsewhere)).toEqual([]);
    client.close();
  });
});

describe('@OnSeen', () => {
  it('hears of each user, event and kind once', async () => {
    const channel = room();
    const [first, second] = [await host.page('kim', channel), await host.page('kim', channel)];
    const receipt = await host.send(channel, { text: 'hi' });
    await host.have(receipt, 'kim');
    await until(() => first.messages.length + second.messages.length === 2, 'both have it');
    for (const { client, messages } of [first, second]) seen(client.channel(channel), messages[0]);
    await until(() => host.readers.heard.length === 2, 'both are heard');
    const about = { appId: app.id, channel, userId: 'kim', receipt, at: expect.any(Date) };
    expect(host.readers.heard).toEqual([
      { ...about, seen: 'received' },
      { ...about, seen: 'shown' },
    ]);
    // The next one is heard after all of the first.
    const next = await host.send(channel, { text: 'next' });
    await until(() => host.readers.heard.length === 3, 'the next is heard');
    expect(host.readers.heard[2]).toMatchObject({ receipt: next });
  });
});

describe('the API', () => {
  const events = () => host.app.get(EventsService);
  const refusal = async (event: object) =>
    events()
      .trigger(app.id, { name: 'message', data: {}, receipts: true, ...event })
      .then(
        () => 'accepted',
        (error: Error) => error.message,
      );

  it('notes receipts without answering a name, for @OnSeen', async () => {
    const channel = room();
    await host.page('lea', channel);
    expect(await events().trigger(app.id, { name: 'message', channel, data: {}, receipts: true })).toEqual({});
    await until(() => host.readers.heard.length === 1, 'it is heard');
    expect(await host.receipts(host.readers.heard[0]!.receipt)).toMatchObject([{ user_id: 'lea' }]);
  });

  it('refuses what can have no receipts', async () => {
    const one = 'An event with receipts can be triggered on one channel only';
    expect(await refusal({ channels: ['presence-a', 'presence-b'] })).toBe(one);
    expect(await refusal({ channel: 'news' })).toContain('they need a private or presence channel, or a user');
    expect(await refusal({ channel: 'presence-a', name: 'client-a' })).toContain('the name of a client event');
    for (const data of ['text', '[1]', 'null', 7])
      expect(await refusal({ channel: 'presence-a', data })).toContain('must be a JSON object');
    expect(await refusal({ channel: 'presence-a', receipts: 'yes' })).toBe('receipts must be true or false');
    expect(await refusal({ channel: 'presence-a', receipts: false })).toBe('accepted');
    expect(await refusal({ channel: 'presence-a', info: 'receipt' })).toContain(
      'attributes out of user_count, subscription_count, receipts',
    );
  });

  it('answers pages, and 404 for what is no receipt', async () => {
    const channel = room();
    for (const user of ['a', 'b', 'c']) await host.page(user, channel);
    const receipt = await host.send(channel, {});
    await host.have(receipt, 'a', 'b', 'c');
    expect(await host.receipts(receipt, { limit: '2' })).toMatchObject([{ user_id: 'a' }, { user_id: 'b' }]);
    expect(await host.receipts(receipt, { limit: '2', after: 'b' })).toMatchObject([{ user_id: 'c' }]);
    for (const name of ['x', 'A'.repeat(43)])
      await expect(host.pusher.get({ path: `/receipts/${name}` })).rejects.toMatchObject({ status: 404 });
    await expect(host.pusher.get({ path: `/receipts/${receipt}`, params: { limit: '0' } })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('keeps them for the configured time and users only', async () => {
    const small = await startReceipts({ apps: [app], receipts: { keepSeconds: 2, usersPerEvent: 1 } });
    const channel = room();
    for (const user of ['a', 'b']) await small.page(user, channel);
    const receipt = await small.send(channel, {});
    await until(async () => (await small.receipts(receipt)).length > 0, 'one is kept');
    await until(
      () =>
        small.receipts(receipt).then(
          (all) => (expect(all).toHaveLength(1), false),
          ({ status }: { status: number }) => status === 404,
        ),
      'it is forgotten',
    );
    small.disconnect();
    await small.close();
  });
});

it('receipts of events within a transaction begin once it is committed, and none that a user has made up', async () => {
  const outbox = new MemoryTriggerOutbox();
  const shop = await startReceipts({ apps: [app], triggerOutbox: { useValue: outbox } });
  const channel = room();
  const { messages } = await shop.page('alice', channel);
  const within = new MemoryTransaction();
  const trigger = (event: object) =>
    shop.app.get(EventsService).trigger(app.id, { name: 'message', channel, ...event } as never, { within });
  const forged = newReceipt({ ...settingsOf(App, testApp), secret: 'guessed' }, channel, Date.now());
  await trigger({ data: { rookery: { receipt: forged } } });
  const { channels } = await trigger({ data: { n: 1 }, info: 'receipts' });
  outbox.commit(within);
  const { receipts } = channels![channel] as { receipts: string };
  await shop.have(receipts, 'alice');
  expect(messages).toEqual([{ rookery: { receipt: forged } }, { n: 1, rookery: { receipt: receipts } }]);
  await until(() => shop.readers.heard.length > 0, 'the application hears of the real one');
  expect(shop.readers.heard.map(({ receipt }) => receipt)).toEqual([receipts]);
  shop.disconnect();
  await shop.close();
});
