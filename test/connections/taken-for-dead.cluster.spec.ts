import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { settingsOf, ThisNode, Unavailable } from '#common';
import type { NodesService } from 'rookery/channels';
import { NodeLease } from 'rookery/internal/channels';
import {
  RedisBroker,
  RedisChannelRepository,
  RedisConnection,
  RedisLeaseStore,
  RedisPresenceRepository,
  RedisSettings,
} from 'rookery/internal/redis';
import { describeRedis, TestRedis } from '../support/redis.js';
import { RoughProxy } from '../support/rough-proxy.js';
import { until } from '../support/until.js';

const patienceMs = 30_000;
const none = { channels: [], admitted: [] };

/** Does nothing, unless configured otherwise. */
interface Duties {
  takeOut(nodeId: string): Promise<void>;
  announce(): Promise<void>;
  announceMissed(): Promise<void>;
}

describeRedis('a process that others take for dead', () => {
  let redis: TestRedis;
  let tests = 0;
  let isOver = false;
  const closing: (() => Promise<void> | void)[] = [];
  beforeAll(async () => {
    Logger.overrideLogger(false);
    redis = await TestRedis.start();
  });
  beforeEach(() => {
    tests++;
    isOver = false;
  });
  afterEach(async () => {
    isOver = true;
    for (const close of closing.splice(0).toReversed()) await close();
  });
  afterAll(() => redis.stop());

  const connect = async (options: Partial<RedisSettings> = {}): Promise<RedisConnection> => {
    const given = { url: redis.url, keyPrefix: `test-${tests}`, heartbeatSeconds: 0.1, leaseSeconds: 0.5, ...options };
    const connection = await RedisConnection.open(settingsOf(RedisSettings, given));
    closing.push(() => connection.close());
    return connection;
  };

  /** A process with a lease, and what it was asked to do for others and itself. */
  const alive = async (id: string, duties: Partial<Duties> = {}, connection?: RedisConnection) => {
    const asked: string[] = [];
    const nodes = {
      configuredApps: '',
      takeOut: async (nodeId: string) => {
        asked.push(`take out ${nodeId}`);
        await duties.takeOut?.(nodeId);
      },
      announce: async () => {
        asked.push('announce');
        await duties.announce?.();
      },
      announceMissed: async () => duties.announceMissed?.(),
    } satisfies Partial<NodesService>;
    const modules = { get: () => nodes } as unknown as ModuleRef; // It is asked for this alone.
    const own = connection ?? (await connect());
    const lease = new NodeLease(new RedisLeaseStore(own), Object.assign(new ThisNode(), { id }), modules);
    await lease.onApplicationBootstrap();
    closing.push(() => lease.onApplicationShutdown());
    return { asked, connection: own, lease };
  };

  /** Its lease ends without a word. */
  const die = ({ connection }: { connection: RedisConnection }): void => connection.close();

  /** Takes until the end of the test. */
  const forEver = () => until(() => isOver, 'the test is over', patienceMs);

  const breakConnections = () => redis.command('CLIENT', 'KILL', 'TYPE', 'NORMAL', 'SKIPME', 'YES');

  it('has its delayed changes announced, for members and for channels', async () => {
    const connection = await connect();
    const presence = new RedisPresenceRepository(connection);
    const channels = new RedisChannelRepository(connection);
    const room = { scope: 'app', name: 'presence-room' };
    const holder = { nodeId: 'dead', connectionId: '1' };
    await presence.join(room, holder, { userId: 'ann' }, 10);
    await channels.occupy('app', room.name, 'dead', 1);
    await presence.leave(room, holder);
    await channels.occupy('app', room.name, 'dead', 0);
    expect(await presence.takeOut('dead', 'heir')).toMatchObject([
      { room, member: { userId: 'ann' }, isPresent: false },
    ]);
    expect(await channels.takeOut('dead', 'heir')).toMatchObject([{ channel: room.name, change: { to: 'vacated' } }]);
    expect([await presence.takeOut('dead', 'heir'), await channels.takeOut('dead', 'heir')]).toEqual([[], []]);
  });

  it('changes nothing until it has registered again: its work waits, and fails after a timeout', async () => {
    const connection = await connect();
    const impatient = await connect({ outageSeconds: 0.2 });
    await new RedisPresenceRepository(connection).takeOut('paused', 'heir');
    const channels = new RedisChannelRepository(connection);
    await channels.takeOut('paused', 'heir');
    const admit = (over: RedisConnection) => new RedisChannelRepository(over).admit('app', 'paused', '1.1', 9);
    await expect(admit(impatient)).rejects.toThrow(Unavailable);
    const joining = new RedisPresenceRepository(impatient).join(
      { scope: 'app', name: 'presence-room' },
      { nodeId: 'paused', connectionId: '1.1' },
      { userId: 'ann' },
      9,
    );
    await expect(joining).rejects.toThrow(Unavailable);
    const admitted = admit(connection);
    await channels.announce('paused', none);
    expect(await admitted).toBe(true);
  });

  it('registers again as soon as it learns of it, even if its lease never ended', async () => {
    const { asked, connection } = await alive('a', {}, await connect({ heartbeatSeconds: 60, leaseSeconds: 180 }));
    const channels = new RedisChannelRepository(connection);
    await channels.takeOut('a', 'heir');
    void channels.occupy('app', 'news', 'a', 1).catch(() => undefined);
    await until(() => asked.includes('announce'), 'it says what it holds', patienceMs);
  });

  it('is removed at the next heartbeat if that failed', async () => {
    let failures = 0;
    const { asked } = await alive('a', {
      takeOut: async () => {
        if (failures++ === 0) throw new Error('no');
      },
    });
    die(await alive('b'));
    await until(() => asked.filter((each) => each === 'take out b').length === 2, 'it is tried again', patienceMs);
    const c = await alive('b');
    expect(c.asked).toEqual([]);
  });

  it('is removed by another process if the one that began dies, too', async () => {
    const a = await alive('a', { takeOut: forEver });
    die(await alive('b'));
    await until(() => a.asked.includes('take out b'), 'a has begun', patienceMs);
    const c = await alive('c');
    die(a);
    await until(() => c.asked.length === 2, 'c takes out both', patienceMs);
    expect(c.asked.toSorted()).toEqual(['take out a', 'take out b']);
  });

  it('returns by itself if the process that began to remove it is dead, and no other is alive', async () => {
    const a = await alive('a', { takeOut: forEver });
    die(await alive('b'));
    await until(() => a.asked.includes('take out b'), 'a has begun', patienceMs);
    die(a);
    const back = await alive('b');
    await until(() => back.asked.includes('take out a'), 'b is alive and takes out a', patienceMs);
  });

  it('is removed over a breaking connection, without delaying the announcements', async () => {
    const connection = await connect();
    const broker = new RedisBroker(connection);
    closing.push(() => broker.onApplicationShutdown());
    let isDone = false;
    const { asked } = await alive(
      'a',
      {
        takeOut: async () => {
          await breakConnections();
          const change = { userId: 'ann', isPresent: false, version: 1 };
          await broker.publish({ kind: 'event', appId: 'app', channel: 'presence-room', text: 'left', change });
          isDone = true;
        },
      },
      connection,
    );
    die(await alive('b'));
    await until(() => isDone, 'it is told');
    expect(asked).toContain('take out b');
  });

  it('does not include processes whose lease ended while Redis was away', async () => {
    const options = { leaseSeconds: 1, commandTimeoutSeconds: 0.2 };
    const all = await Promise.all(['a', 'b', 'c'].map(async (id) => alive(id, {}, await connect(options))));
    redis.pause();
    // For longer than a lease.
    await delay(1500);
    redis.resume();
    await until(() => all.every(({ asked }) => asked.includes('announce')), 'all are back', patienceMs);
    for (const { asked } of all) expect(asked.filter((each) => each.startsWith('take out'))).toEqual([]);
  });

  it('loses a silent connection, and returns over another one', async () => {
    const proxy = await RoughProxy.start(() => redis.port);
    closing.push(() => proxy.stop());
    const connection = await connect({ url: `redis://127.0.0.1:${proxy.port}`, commandTimeoutSeconds: 0.2 });
    const { asked } = await alive('a', {}, connection);
    const other = await alive('b');
    proxy.swallow();
    await until(() => other.asked.includes('take out a'), 'it is taken out', patienceMs);
    await until(() => asked.includes('announce'), 'it is back', patienceMs);
    expect(other.asked).toEqual(['take out a']);
  });

  it('keeps its lease while it removes another process slowly', async () => {
    const a = await alive('a', { takeOut: forEver });
    die(await alive('b'));
    await until(() => a.asked.includes('take out b'), 'a has begun', patienceMs);
    const c = await alive('c');
    // For longer than a lease.
    await delay(1000);
    expect(c.asked).toEqual([]);
  });
});
