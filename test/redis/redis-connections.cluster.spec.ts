import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { settingsOf, Unavailable } from '#common';
import { jobOf, webhookDelivery } from '#webhooks';
import type { Topic } from 'rookery/channels';
import {
  RedisBroker,
  RedisChannelRepository,
  RedisConnection,
  RedisIdempotencyKeys,
  RedisPresenceRepository,
  RedisRequestRates,
  RedisSessionRepository,
  RedisSettings,
  RedisJobStore,
} from 'rookery/internal/redis';
import { Script } from '../../libs/redis/src/connection/script.js';
import { TestRedisCluster } from '../support/redis-cluster.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { RoughProxy } from '../support/rough-proxy.js';
import { until } from '../support/until.js';

const patienceMs = 30_000;

describeRedis('the connections to Redis', () => {
  let redis: TestRedis;
  const closing: (() => unknown)[] = [];
  beforeAll(async () => {
    Logger.overrideLogger(false);
    redis = await TestRedis.start();
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });
  afterAll(() => redis.stop());

  const connect = async (options: Partial<RedisSettings> = {}): Promise<RedisConnection> => {
    const given = { url: redis.url, heartbeatSeconds: 0.1, leaseSeconds: 180, lingerSeconds: 0, ...options };
    const connection = await RedisConnection.open(settingsOf(RedisSettings, given));
    closing.push(() => connection.close());
    return connection;
  };

  /** A broker, what reached it, and where it was told that messages may be lost. */
  const listen = async (options: Partial<RedisSettings> = {}) => {
    const broker = new RedisBroker(await connect(options));
    closing.push(() => broker.onApplicationShutdown());
    const heard: string[] = [];
    const lost: Topic[] = [];
    broker.receive({
      message: (message) => void heard.push(message.kind === 'event' ? message.text : message.kind),
      lost: (topics) => void lost.push(...topics),
    });
    return { broker, heard, lost };
  };

  const event = (channel: string, text: string) => ({ kind: 'event', appId: 'app', channel, text }) as const;
  const commands = async (): Promise<number> =>
    Number(/total_commands_processed:(\d+)/.exec(String(await redis.command('INFO', 'stats')))![1]);
  const subscribeCommands = async (on = redis): Promise<number> =>
    Number(/cmdstat_ssubscribe:calls=(\d+)/.exec(String(await on.command('INFO', 'commandstats')))![1]);
  const topics = async (on = redis): Promise<readonly string[]> =>
    (await on.command('PUBSUB', 'SHARDCHANNELS', '*')) as string[];

  /** Stands between processes and a Redis. */
  const between = async (target: () => TestRedis): Promise<{ readonly proxy: RoughProxy; readonly url: string }> => {
    const proxy = await RoughProxy.start(() => target().port);
    closing.push(() => proxy.stop());
    return { proxy, url: `redis://127.0.0.1:${proxy.port}` };
  };

  /** The connections of a broker for its subscriptions. */
  const subscribersOf = (broker: RedisBroker) => {
    const { subscriptions } = broker as unknown as { subscriptions: { subscribers: Map<string, { redis: Redis }> } };
    return Array.from(subscriptions.subscribers.values(), (each) => each.redis);
  };

  it('accept more arguments than a JavaScript call may have', async () => {
    const connection = await connect();
    const many = Array.from({ length: 200_000 }, (_, i) => i);
    expect(await connection.run(new Script('return #ARGV'), [], many)).toBe(many.length);
  });

  it('subscribe only to channels with local subscribers, and drop them afterwards', async () => {
    const { broker } = await listen();
    await broker.publish(event('nobody', '1'));
    expect(await topics()).toEqual([]);
    await broker.subscribe('app', 'somebody');
    expect(await topics()).toHaveLength(1);
    broker.unsubscribe('app', 'somebody');
    await until(async () => (await topics()).length === 0, 'it is dropped');
  });

  it('take one command to publish to a channel without subscribers, and one for each of a hundred channels, pipelined', async () => {
    const { broker } = await listen({ heartbeatSeconds: 60 });
    await broker.publish(event('warm', 'up'));
    const before = await commands();
    await broker.publish(event('nobody', '1'));
    await Promise.all(Array.from({ length: 100 }, (_, n) => broker.publish(event(`nobody-${n}`, '1'))));
    // What the script does inside counts as well: TIME, GET, SET and SPUBLISH; beside it, the question itself.
    expect((await commands()) - before).toBeLessThanOrEqual(101 * 5 + 4);
  });

  it('write what is asked in one event loop turn at its end, also before earlier questions are answered', async () => {
    const connection = await connect({ heartbeatSeconds: 60 });
    const { stream } = (connection as unknown as { client: Redis }).client;
    const brief = new Script('return 1');
    const second = new Script(`local ends = redis.call('TIME')[1] + 2 while redis.call('TIME')[1] + 0 < ends do end`);
    await connection.run(brief, []);
    const turnEnds = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    let answered = false;
    const long = connection.run(second, []).then(() => (answered = true));
    await turnEnds();
    const others = Array.from({ length: 99 }, () => connection.run(brief, []));
    expect(stream.writableLength).toBeGreaterThan(99 * 40);
    await turnEnds();
    expect([stream.writableLength, answered]).toEqual([0, false]);
    expect(await Promise.all(others)).toEqual(others.map(() => 1));
    await long;
  });

  it('send little more than the text to publish, and receive what was published together in one event loop turn', async () => {
    const [publisher, subscriber] = [await listen({ heartbeatSeconds: 60 }), await connect({ heartbeatSeconds: 60 })];
    const broker = new RedisBroker(subscriber);
    closing.push(() => broker.onApplicationShutdown());
    const turns: number[] = [];
    let turn = 0;
    broker.receive({
      message: () => {
        if (turns.at(-1) !== turn) setImmediate(() => turn++);
        turns.push(turn);
      },
      lost: () => {},
    });
    await broker.subscribe('app', 'news');
    await publisher.broker.publish(event('news', 'first'));
    await until(() => turns.length === 1, 'it has arrived');
    const received = async () => Number(/net_input_bytes:(\d+)/.exec(String(await redis.command('INFO', 'stats')))![1]);
    const before = await received();
    const text = 'x'.repeat(100);
    await Promise.all(Array.from({ length: 8 }, () => publisher.broker.publish(event('news', text))));
    await until(() => turns.length === 9, 'all have arrived');
    expect(new Set(turns.slice(1)).size).toBe(1);
    // 40 bytes are the script's hash; the channel with its partition, Redis's protocol and the question take the rest.
    expect(((await received()) - before) / 8).toBeLessThan(text.length + 150);
  });

  it('call all who registered for reconnections', async () => {
    const connection = await connect();
    const called: string[] = [];
    for (const name of ['one', 'other']) connection.onReconnect(async () => void called.push(name));
    await redis.command('CLIENT', 'KILL', 'TYPE', 'NORMAL', 'SKIPME', 'YES');
    await until(() => called.length === 2, 'both are called');
    expect(called).toEqual(['one', 'other']);
  });

  it('are replaced if Redis closes them, with all subscriptions, and possible losses are reported', async () => {
    const { broker, heard, lost } = await listen();
    for (let n = 0; n < 300; n++) await broker.subscribe('app', `c-${n}`);
    const [before, subscribes] = [await commands(), await subscribeCommands()];
    await redis.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await until(() => lost.length >= 300, 'it is said what may be lost');
    expect(new Set(lost.map(({ channel }) => channel)).size).toBe(300);
    expect(await topics()).toHaveLength(300);
    await broker.publish(event('c-7', 'again'));
    await until(() => heard.includes('again'), 'messages come again');
    // One command for each of the 128 partitions, and not one for each channel. An audit is one more.
    expect((await subscribeCommands()) - subscribes).toBeLessThan(128 + 20);
    expect((await commands()) - before).toBeLessThan(300);
  });

  it('report possible losses before any later message', async () => {
    const [broker, other] = [new RedisBroker(await connect()), new RedisBroker(await connect())];
    closing.push(() => broker.onApplicationShutdown());
    closing.push(() => other.onApplicationShutdown());
    /** Numbers as they come, and -1 where it is told that some may be lost. */
    const heard: number[] = [];
    broker.receive({
      message: (message) => void heard.push(message.kind === 'event' ? Number(message.text) : NaN),
      lost: () => void heard.push(-1),
    });
    await broker.subscribe('app', 'numbered');
    let number = 0;
    const publish = () => other.publish(event('numbered', String(number++)));
    for (let rounds = 1; rounds <= 5; rounds++) {
      await publish();
      await redis.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
      const losses = () => heard.filter((each) => each === -1).length;
      await until(async () => (await publish(), losses() === rounds), 'it is said what may be lost');
    }
    await publish();
    await until(() => heard.at(-1) === number - 1, 'the latest has come');
    const skipped = heard.filter((each, at) => each > 0 && heard[at - 1] !== -1 && heard[at - 1] !== each - 1);
    expect(skipped).toEqual([]);
  });

  it('are replaced if Redis cuts a slow reader, and possible losses are reported', async () => {
    await redis.command('CONFIG', 'SET', 'client-output-buffer-limit', 'pubsub 256kb 0 0');
    const slow = await listen();
    const other = await listen();
    await slow.broker.subscribe('app', 'news');
    const [{ stream }] = subscribersOf(slow.broker) as unknown as [{ stream: Socket }];
    stream.pause();
    const isCut = async (): Promise<boolean> => {
      await other.broker.publish(event('news', 'x'.repeat(1_000_000)));
      return (await topics()).length === 0;
    };
    await until(isCut, 'it is cut', patienceMs);
    stream.resume();
    await until(() => slow.lost.some(({ channel }) => channel === 'news'), 'it is said what may be lost', patienceMs);
    await other.broker.publish(event('news', 'again'));
    await until(() => slow.heard.includes('again'), 'messages come again', patienceMs);
  });

  it('are replaced if they are open but silent', async () => {
    const { proxy, url } = await between(() => redis);
    const { broker, heard, lost } = await listen({ url, commandTimeoutSeconds: 0.5 });
    await broker.subscribe('app', 'news');
    proxy.swallow();
    await until(() => lost.some(({ channel }) => channel === 'news'), 'it is said what may be lost', patienceMs);
    const other = await listen();
    await other.broker.publish(event('news', 'again'));
    await until(() => heard.includes('again'), 'messages come again', patienceMs);
  });

  it('close if Redis became a replica: its work waits, and continues with the new master', async () => {
    const old = await TestRedis.start();
    const replica = await TestRedis.start('--replicaof', '127.0.0.1', String(old.port));
    closing.push(() => Promise.all([old.stop(), replica.stop()]));
    let master = old;
    const { url } = await between(() => master);
    const connection = await connect({ url });
    const channels = new RedisChannelRepository(connection);
    const { broker, heard, lost } = await listen({ url });
    await broker.subscribe('app', 'news');
    await replica.command('REPLICAOF', 'NO', 'ONE');
    // Whatever was connected still is.
    await old.command('REPLICAOF', '127.0.0.1', replica.port);
    await expect(broker.publish(event('news', 'refused'))).rejects.toThrow(Unavailable);
    const occupied = channels.occupy('app', 'taken-over', 'node', 1);
    await until(() => connection.awaySeconds > 0, 'it waits', patienceMs);
    // What connects again meanwhile does not stay there either.
    const connectsAgain = once(subscribersOf(broker)[0]!, 'ready');
    await old.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    const subscribes = await subscribeCommands(old);
    await connectsAgain;
    master = replica;
    expect(await occupied).toMatchObject({ count: 1 });
    await until(async () => (await topics(replica)).length === 1, 'it listens to the new master', patienceMs);
    await until(() => lost.some(({ channel }) => channel === 'news'), 'it is said what may be lost', patienceMs);
    const isHeard = async (): Promise<boolean> => {
      // Its connection for commands may find it out only now.
      await broker.publish(event('news', 'again')).catch(() => undefined);
      return heard.includes('again');
    };
    await until(isHeard, 'messages come again', patienceMs);
    expect(await subscribeCommands(old)).toBe(subscribes);
  }, 60_000);

  it('are both replaced if one stays at an old master, and possible losses are reported', async () => {
    const [old, promoted] = [await TestRedis.start(), await TestRedis.start()];
    closing.push(() => Promise.all([old.stop(), promoted.stop()]));
    let master = old;
    const { url } = await between(() => master);
    const { broker, heard, lost } = await listen({ url });
    await broker.subscribe('app', 'news');
    await broker.publish(event('news', 'before'));
    await until(() => heard.includes('before'), 'it is heard');
    // The connection for subscriptions finds the new master, the one for commands does not notice.
    master = promoted;
    await old.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await until(async () => (await topics(promoted)).length === 1, 'it listens to the new master', patienceMs);
    const isHeard = async (): Promise<boolean> => {
      await broker.publish(event('news', 'again')).catch(() => undefined);
      return heard.includes('again');
    };
    await until(isHeard, 'messages come again', patienceMs);
    expect(lost.length).toBeGreaterThanOrEqual(1);
  });

  it('leave the keys of a slot that begins to move where they are', async () => {
    const nodes = await TestRedisCluster.start();
    closing.push(() => nodes.stop());
    const broker = new RedisBroker(await connect({ url: nodes.url, heartbeatSeconds: 60 }));
    const history = { events: 10, seconds: 60, bytes: 1000 };
    const publish = async (text: string): Promise<void> => {
      await broker.publish(event('plain', text));
      await broker.publish({ ...event('kept', text), history });
    };
    await publish('before');
    const keysOf = async (node: TestRedis): Promise<readonly string[]> =>
      ((await node.command('KEYS', '*version')) as string[]).toSorted();
    const before = await Promise.all(nodes.nodes.map(keysOf));
    expect(before.flat()).toHaveLength(2);
    for (const key of before.flat()) await nodes.beginMove(key);
    await publish('meanwhile');
    expect(await Promise.all(nodes.nodes.map(keysOf))).toEqual(before);
    expect((await broker.history('app', 'kept', 10)).events.map(({ text }) => text)).toEqual(['before', 'meanwhile']);
  });

  it.each([
    {
      of: 'the channels that a process occupies',
      count: async (redis: RedisConnection, process: string) =>
        (await new RedisChannelRepository(redis).occupy('app', 'news', process, 1)).count,
    },
    {
      of: 'the members of a presence channel',
      count: async (redis: RedisConnection, process: string) => {
        const presence = new RedisPresenceRepository(redis);
        const room = { scope: 'app', name: 'presence-news' };
        await presence.join(room, { nodeId: process, connectionId: `1.${process}` }, { userId: process }, 100);
        return (await presence.roster(room)).members.length;
      },
    },
    {
      of: 'the jobs',
      count: async (redis: RedisConnection, id: string) => {
        const jobs = new RedisJobStore(redis);
        await jobs.add([jobOf(webhookDelivery({ owner: 'app', url: 'http://hook', headers: {}, body: id }, 1))]);
        return jobs.size();
      },
    },
  ])('change no key of a slot that moves, and then all of them together: $of', async ({ count }) => {
    const nodes = await TestRedisCluster.start();
    closing.push(() => nodes.stop());
    const connection = await connect({ url: nodes.url, heartbeatSeconds: 60 });
    expect(await count(connection, 'one')).toBe(1);
    const [key] = (await Promise.all(nodes.nodes.map((node) => node.command('KEYS', '*')))).flat() as string[];
    const end = await nodes.beginMove(key!);
    let answer: number | undefined;
    const counted = count(connection, 'two').then((given) => (answer = given));
    const refusals = await Promise.all(nodes.nodes.map((node) => node.command('INFO', 'errorstats')));
    const isRefused = async (): Promise<boolean> => {
      const said = await Promise.all(nodes.nodes.map((node) => node.command('INFO', 'errorstats')));
      return said.some((each, n) => each !== refusals[n] && String(each).includes('TRYAGAIN'));
    };
    await until(async () => answer !== undefined || (await isRefused()), 'Redis has seen the call');
    await end();
    expect(await counted).toBe(2);
  });

  it('follow moving slots of a cluster, and report possible losses before any later message', async () => {
    const nodes = await TestRedisCluster.start();
    closing.push(() => nodes.stop());
    const [broker, other] = [
      new RedisBroker(await connect({ url: nodes.url, heartbeatSeconds: 5 })),
      new RedisBroker(await connect({ url: nodes.url, heartbeatSeconds: 5 })),
    ];
    closing.push(() => broker.onApplicationShutdown());
    closing.push(() => other.onApplicationShutdown());
    const names = Array.from({ length: 100 }, (_, n) => `c-${n}`);
    /** Of each channel the latest number, and whether it was told since that some may be lost. */
    const heard = new Map(names.map((name) => [name, { latest: -1, isTold: false }]));
    const counts = { lost: 0, silences: [] as string[] };
    broker.receive({
      message: (message) => {
        const channel = heard.get(message.channel)!;
        const number = message.kind === 'event' ? Number(message.text) : NaN;
        const missing = number - channel.latest - 1;
        if (missing > 0) counts.lost += missing;
        if (missing > 0 && !channel.isTold)
          counts.silences.push(`${message.channel}: ${number} after ${channel.latest}`);
        heard.set(message.channel, { latest: number, isTold: false });
      },
      lost: (topics) => {
        for (const { channel } of topics) heard.get(channel)!.isTold = true;
      },
    });
    await Promise.all(names.map((name) => broker.subscribe('app', name)));
    const state = { isOver: false };
    const moving = nodes.reshard(1500);
    const over = (): void => void (state.isOver = true);
    moving.then(over, over);
    /** While a slot moves, Redis may ask to try again. */
    const publish = (name: string, number: number): Promise<boolean> =>
      other.publish(event(name, String(number))).then(
        () => true,
        () => false,
      );
    let number = 0;
    for (; !state.isOver || number < 20; number++)
      await Promise.all(names.map((name) => until(() => publish(name, number), `${name} is published`, patienceMs)));
    await moving;
    const haveAll = async (): Promise<boolean> => {
      await Promise.all(names.map((name) => publish(name, number)));
      number++;
      return [...heard.values()].every(({ latest }) => latest >= number - 2);
    };
    await until(haveAll, 'all hear again', patienceMs);
    console.log(`${number * names.length} messages while slots moved, ${counts.lost} lost and told as lost`);
    expect(counts.silences).toEqual([]);
    // They are subscribed elsewhere at once, and not with the next heartbeat.
    expect(counts.lost / (number * names.length)).toBeLessThan(0.02);
  }, 120_000);

  it('are replaced if commands get no answer, to the current Redis', async () => {
    const [hung, promoted] = [await TestRedis.start(), await TestRedis.start()];
    closing.push(() => Promise.all([hung.stop(), promoted.stop()]));
    let master = hung;
    const { url } = await between(() => master);
    const connection = await connect({ url, commandTimeoutSeconds: 0.3 });
    const channels = new RedisChannelRepository(connection);
    hung.pause();
    master = promoted;
    // Waits, and is done by the other: nothing else asks anything of Redis here.
    expect(await channels.occupy('app', 'news', 'node', 1)).toMatchObject({ count: 1 });
    expect(await new RedisChannelRepository(connection).subscriptionCounts('app', ['news'])).toEqual([1]);
    hung.resume();
  }, 60_000);

  it('detect a silently lost subscription, and repeat it', async () => {
    const { broker, heard, lost } = await listen({ heartbeatSeconds: 0.2 });
    for (const channel of ['kept', 'dropped']) await broker.subscribe('app', channel);
    // As after a failed resubscription, of which a driver may say nothing.
    const [subscriber] = subscribersOf(broker);
    const [dropped] = (await topics()).filter((name) => name.endsWith('dropped'));
    await subscriber!.sunsubscribe(dropped!);
    await until(async () => (await topics()).length === 2, 'it is made again');
    await until(() => lost.some(({ channel }) => channel === 'dropped'), 'it is said');
    await broker.publish(event('dropped', 'again'));
    await until(() => heard.includes('again'), 'messages come again');
  });

  it('are refused to a Redis that evicts live state', async () => {
    await redis.command('CONFIG', 'SET', 'maxmemory', '100mb');
    await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
    await expect(connect()).rejects.toThrow('Set it to noeviction');
    await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
  });

  it('refuse writes that a full Redis rejects, although it answers a PING', async () => {
    const channels = new RedisChannelRepository(await connect({ outageSeconds: 0 }));
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    await expect(channels.occupy('app', 'news', 'node', 1)).rejects.toThrow('Redis cannot be reached: OOM');
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    expect(await channels.occupy('app', 'news', 'node', 1)).toMatchObject({ count: 1 });
  });

  it('count requests in this process while Redis takes no writes, and then together with the others', async () => {
    const connection = await connect();
    const rates = new RedisRequestRates(connection);
    const limit = { name: 'one', perSecond: 0.001, atOnce: 2 };
    const take = () => rates.take([limit]);
    expect(await take()).toBe(0);
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    expect([await take(), await take(), await take()]).toEqual([0, 0, 1000]);
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    // In a server, the heartbeat says that it takes writes again.
    await connection.tookWrite();
    expect(await take()).toBe(0);
    expect(await take()).toBeGreaterThan(0);
  });

  it('leave no key without an expiry or an owning process', async () => {
    const keyPrefix = 'alone';
    const connection = await connect({ keyPrefix });
    const { broker } = await listen({ keyPrefix });
    const history = { events: 10, seconds: 60, bytes: 10_000 };
    await broker.publish({ ...event('cache-a', '1'), history }, 60);
    const channels = new RedisChannelRepository(connection);
    const presence = new RedisPresenceRepository(connection);
    const room = { scope: 'app', name: 'presence-a' };
    for (const nodeId of ['dead', 'alive']) {
      await channels.occupy('app', 'presence-a', nodeId, 1);
      await channels.occupy('app', 'left', nodeId, 1);
      await channels.occupy('app', 'left', nodeId, 0);
      await channels.admit('app', nodeId, `${nodeId}.1`, 9);
      for (const name of ['presence-a', 'presence-left'])
        await presence.join({ ...room, name }, { nodeId, connectionId: `${nodeId}.1` }, { userId: nodeId }, 9);
      await presence.leave({ ...room, name: 'presence-left' }, { nodeId, connectionId: `${nodeId}.1` });
    }
    await new RedisRequestRates(connection).take([{ name: 'one', perSecond: 1, atOnce: 100 }]);
    const keys = new RedisIdempotencyKeys(connection);
    await keys.claim({ appId: 'app', key: 'under way', print: 'a', claimId: '1' });
    await keys.answer({ appId: 'app', key: 'answered', print: 'a', claimId: '2' }, '{}');
    await new RedisSessionRepository(connection).open({ appId: 'app', key: 'key', id: 'session' }, '1.1', 60);
    const outbox = new RedisJobStore(connection);
    const hooks = ['waits', 'claimed', 'dead'].map((body) =>
      webhookDelivery({ owner: 'app', url: `http://localhost/${body}`, headers: {}, body }, 1),
    );
    await outbox.add(hooks.map(jobOf));
    const busy = new Set([hooks[0]!.endpoint]);
    const claim = { id: 'claim', now: 1, limit: 9, perKey: 9, busy, leaseMs: 60_000 };
    const claimed = await outbox.claim(claim);
    await outbox.bury(claimed[1]!, { diedAt: 1, reason: 'x' }, { most: 9, maxBytes: 1_000_000, keepMs: 60_000 });

    /** The kinds of those that do not end by themselves. */
    const lasting = async (): Promise<readonly string[]> => {
      const names = (await redis.command('KEYS', `${keyPrefix}:*`)) as string[];
      const left = await Promise.all(names.map(async (name) => Number(await redis.command('PTTL', name))));
      const kinds = names.filter((_, i) => left[i] === -1).map((name) => /}:([^:]*(:app)?)/.exec(name)![1]!);
      return [...new Set(kinds)].toSorted();
    };
    // What a process holds, and the sums of it.
    const held = ['admitted:app', 'channels:app', 'connections:app', 'node', 'node-admitted', 'present', 'users:app'];
    expect(await lasting()).toEqual(held);
    for (const nodeId of ['dead', 'alive']) {
      await channels.takeOut(nodeId, 'heir');
      await presence.takeOut(nodeId, 'heir');
    }
    expect(await lasting()).toEqual([]);
  });
});
