import type { PresenceChannel } from 'pusher-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClusterSettings, subscribed, TestCluster } from '../support/cluster.js';
import { describePostgres, newPostgresDatabase } from '../support/postgres.js';
import { describeRedis, redisAndValkey } from '../support/redis.js';
import { buildServer } from '../support/server-process.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

/** Longer than a lease and two heartbeats, which are the defaults on PostgreSQL. */
const leaseMs = 40_000;

describeRedis.each(redisAndValkey())('three processes on one %s', (_, start) => {
  stories(async () => {
    const redis = await start();
    const file = { redis: { heartbeatSeconds: 0.3, leaseSeconds: 3 } };
    return { settings: { redisUrl: redis.url, file }, stop: () => redis.stop() };
  });
});

describePostgres('three processes on one PostgreSQL, without Redis', () => {
  stories(async () => {
    const environment = { DATABASE_URL: await newPostgresDatabase() };
    return { settings: { environment }, stop: async () => {} };
  });
});

/** @param share - starts what they share */
function stories(share: () => Promise<{ settings: ClusterSettings; stop: () => Promise<void> }>): void {
  let stop: (() => Promise<void>) | undefined;
  let receiver: WebhookReceiver;
  let cluster: TestCluster;
  beforeAll(async () => {
    await buildServer();
    const shared = await share();
    stop = shared.stop;
    receiver = await WebhookReceiver.start();
    const app = { webhooks: [{ url: receiver.url('/hook') }], clientEvents: true };
    cluster = await TestCluster.start(3, { ...shared.settings, app });
  }, 180_000);
  afterAll(async () => {
    await cluster.stop();
    await receiver.close();
    await stop?.();
  });

  const membersOf = (channel: PresenceChannel): string[] => {
    const ids: string[] = [];
    channel.members.each(({ id }: { id: string }) => ids.push(id));
    return ids.toSorted();
  };

  it('deliver events triggered on one to the clients of all, once and in order', async () => {
    const heard = await Promise.all(
      cluster.processes.map(async (server) => {
        const client = await cluster.client(server);
        const channel = await subscribed(client, 'news');
        const numbers: number[] = [];
        channel.bind('number', (n: number) => numbers.push(n));
        return numbers;
      }),
    );
    const pusher = cluster.server(cluster.processes[1]!);
    for (let n = 0; n < 100; n++) await pusher.trigger('news', 'number', n);
    await until(() => heard.every(({ length }) => length >= 100), 'all have heard all');
    for (const numbers of heard) expect(numbers).toEqual(Array.from({ length: 100 }, (_, n) => n));
    for (const each of cluster.processes)
      await until(async () => (await cluster.get(each, '/connections')).connections === 3, 'all count all');
  });

  it("update a member's info in the rosters of all, and of those that come later", async () => {
    const rosters: PresenceChannel[] = [];
    const updated: string[] = [];
    for (const [i, server] of cluster.processes.entries()) {
      const channel = await subscribed(await cluster.client(server, { user_id: `user-${i}` }), 'presence-info');
      channel.bind('rookery:member_updated', (data: { user_id: string }) => updated.push(data.user_id));
      rosters.push(channel as PresenceChannel);
    }
    await until(() => rosters.every(({ members }) => members.count === 3), 'all see all');
    for (const [i, server] of cluster.processes.entries()) {
      const body = { user_info: { isAway: i } };
      const { status } = await cluster.send(server, 'PUT', '/channels/presence-info/users/user-1', body);
      expect(status).toBe(200);
    }
    const infoIn = ({ members }: PresenceChannel) => members.get('user-1')?.info as unknown;
    await until(() => rosters.every((roster) => JSON.stringify(infoIn(roster)) === '{"isAway":2}'), 'all know it');
    await until(() => updated.length === 9, 'all are told of each update');
    expect(rosters.map(({ members }) => members.count)).toEqual([3, 3, 3]);
    for (const server of cluster.processes) {
      const later = await subscribed(await cluster.client(server, { user_id: 'later' }), 'presence-info');
      expect(infoIn(later as PresenceChannel)).toEqual({ isAway: 2 });
    }
  });

  it('remove a user from a channel at once, wherever their clients are', async () => {
    const ended: unknown[] = [];
    for (const server of cluster.processes) {
      const channel = await subscribed(await cluster.client(server, { user_id: 'ann' }), 'presence-left');
      channel.bind('pusher:subscription_error', ({ status }: { status: number }) => ended.push(status));
    }
    await cluster.send(cluster.processes[0]!, 'DELETE', '/channels/presence-left/users/ann');
    await until(() => ended.length === 3, 'all are told');
    expect(ended).toEqual([403, 403, 403]);
    await until(
      async () => (await cluster.get(cluster.processes[2]!, '/channels/presence-left')).occupied === false,
      'the channel is empty',
    );
  });

  it('end the connections of a user, wherever they are', async () => {
    const clients = await Promise.all(cluster.processes.map((server) => cluster.client(server, { user_id: 'eve' })));
    for (const client of clients) client.signin();
    await until(() => clients.every(({ user }) => user.user_data !== null), 'the user is signed in');
    await cluster.server(cluster.processes[0]!).terminateUserConnections('eve');
    await until(() => clients.every(({ connection }) => connection.state === 'disconnected'), 'all are ended');
  });

  it('have one roster, and forget the members of a process that died', async () => {
    const channels: PresenceChannel[] = [];
    for (const [i, server] of cluster.processes.entries()) {
      const client = await cluster.client(server, { user_id: `user-${i}` });
      channels.push((await subscribed(client, 'presence-room')) as PresenceChannel);
    }
    await until(() => channels.every(({ members }) => members.count === 3), 'all see all');
    const [one, two, three] = cluster.processes;
    const users = await cluster.get(two!, '/channels/presence-room/users');
    expect(users).toEqual({ users: [{ id: 'user-0' }, { id: 'user-1' }, { id: 'user-2' }] });

    await three!.kill();
    await until(
      () => channels.slice(0, 2).every(({ members }) => members.count === 2),
      'the dead are forgotten',
      leaseMs,
    );
    expect(membersOf(channels[0]!)).toEqual(['user-0', 'user-1']);
    expect(await cluster.get(one!, '/channels/presence-room', { info: 'user_count,subscription_count' })).toMatchObject(
      {
        user_count: 2,
      },
    );
    const removed = () =>
      receiver.events('/hook').filter((each) => each.name === 'member_removed' && each.channel === 'presence-room');
    await until(() => removed().length > 0, 'the webhook tells of it', leaseMs);
    expect(removed()).toEqual([{ name: 'member_removed', channel: 'presence-room', user_id: 'user-2' }]);
  });

  it('bring back, once, the members of a process that was only paused', async () => {
    const [one, two] = cluster.processes;
    const watcher = (await subscribed(
      await cluster.client(one!, { user_id: 'watcher' }),
      'presence-x',
    )) as PresenceChannel;
    await subscribed(await cluster.client(two!, { user_id: 'sleeper' }), 'presence-x');
    await until(() => watcher.members.count === 2, 'both are seen');
    const told: string[] = [];
    watcher.bind('pusher:member_removed', ({ id }: { id: string }) => told.push(`-${id}`));
    watcher.bind('pusher:member_added', ({ id }: { id: string }) => told.push(`+${id}`));
    two!.signal('SIGSTOP');
    await until(() => told.length > 0, 'the sleeper is taken for gone', leaseMs);
    two!.signal('SIGCONT');
    await until(() => told.length > 1, 'the sleeper is back', leaseMs);
    expect(told).toEqual(['-sleeper', '+sleeper']);
    expect(await cluster.get(one!, '/channels/presence-x/users')).toEqual({
      users: [{ id: 'watcher' }, { id: 'sleeper' }],
    });
  });
}
