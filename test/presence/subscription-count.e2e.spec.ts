import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

let server: ChannelsServer;
beforeAll(async () => {
  server = await startChannels({ apps: [{ ...testApp, subscriptionCount: true }] });
});
afterAll(() => server.close());

const counts = (client: SocketClient) =>
  client.frames
    .filter(({ event }) => event === 'pusher_internal:subscription_count')
    .map(({ data }) => (JSON.parse(data as string) as { subscription_count: number }).subscription_count);

describe('the subscription count', () => {
  it('is sent to all subscribers, including the new one, after each change', async () => {
    const alice = await SocketClient.connect(server.port);
    await alice.subscribe('public');
    expect(await alice.next('pusher_internal:subscription_count')).toEqual({
      event: 'pusher_internal:subscription_count',
      channel: 'public',
      data: '{"subscription_count":1}',
    });
    const bob = await SocketClient.connect(server.port);
    bob.sendSubscribe('public');
    await bob.next('pusher_internal:subscription_count');
    expect(bob.frames[0]?.event).toBe('pusher_internal:subscription_succeeded');
    bob.close();
    await until(() => counts(alice).length === 2, 'Alice hears both changes');
    expect(counts(alice)).toEqual([2, 1]);
    alice.close();
  });

  it('of more than 100 connections is sent at most every five seconds, with the latest value', async () => {
    const clients = await Promise.all(Array.from({ length: 105 }, () => SocketClient.connect(server.port)));
    for (const client of clients) await client.subscribe('crowd');
    const [first] = clients as [SocketClient];
    await first.settled('nothing');
    expect(counts(first).at(-1)).toBe(101);
    await until(() => counts(first).at(-1) === 105, 'the latest count is told');
    expect(counts(first).filter((count) => count > 100)).toEqual([101, 105]);
    clients.forEach((client) => client.close());
  });
});
