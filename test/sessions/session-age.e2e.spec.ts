import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { settingsOf } from '#common';
import type { SessionName, SessionRepository } from 'rookery/channels';
import { RedisConnection, RedisSettings, RedisSessionRepository } from 'rookery/internal/redis';
import { TypeOrmSessionRepository } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describeRedis, TestRedis } from '../support/redis.js';

// A fresh store must not tell new clients of a gap because of their clocks; one that was replaced while processes ran
// must tell all that may have lost something.

const minute = 60_000;
const day = 86_400;

/** The session of a page that has just begun, on a device whose clock is off by some milliseconds. */
function begun(offMs: number): SessionName {
  const time = (Date.now() + offMs).toString(16).padStart(12, '0');
  const id = `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
  return { appId: 'app', key: 'key', id };
}

interface Stores {
  /** A process that uses the store. */
  process(): Promise<SessionRepository>;
  /** Replaces the store by an empty one. */
  replace(): Promise<void>;
}

function describeAges({ process, replace }: Stores): void {
  const isLost = async (sessions: SessionRepository, session: SessionName): Promise<boolean> =>
    (await sessions.open(session, '1.1', day))?.isLost ?? false;
  const judged = async (sessions: SessionRepository, offsets: readonly number[]): Promise<readonly boolean[]> =>
    Promise.all(offsets.map((offMs) => isLost(sessions, begun(offMs))));

  it('gives the first clients no gap, by whichever clock within a minute, or ahead', async () => {
    await replace();
    const sessions = await process();
    expect(await judged(sessions, [0, -5000, -50_000, 10 * minute])).toEqual([false, false, false, false]);
  });

  it('gives those a gap whose sessions began more than a minute before it, and those that carry no time', async () => {
    await replace();
    const sessions = await process();
    expect(await judged(sessions, [-2 * minute])).toEqual([true]);
    expect(await isLost(sessions, { appId: 'app', key: 'key', id: randomUUID() })).toBe(true);
  });

  it('gives a gap to all that may be older once a running process has noticed that it was replaced', async () => {
    const [first, second] = [await process(), await process()];
    await judged(first, [0]);
    await replace();
    expect(await judged(first, [-5000, 10 * minute])).toEqual([true, true]);
    expect(await judged(first, [5000])).toEqual([false]);
    expect(await judged(second, [-5000])).toEqual([true]);
  });
}

const closing: (() => unknown)[] = [];
beforeEach(() => Logger.overrideLogger(false));
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

describeDatabases('The age of sessions', ({ database }) => {
  describeAges({
    process: async () => {
      const sessions = new TypeOrmSessionRepository(database());
      closing.push(() => sessions.onApplicationShutdown());
      await sessions.onApplicationBootstrap();
      return sessions;
    },
    replace: async () => {
      for (const table of ['event_order', 'sessions', 'session_positions'])
        await database().execute(`DELETE FROM rookery_${table}`);
    },
  });
});

describeRedis('The age of sessions in Redis', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await TestRedis.start();
    return () => redis.stop();
  });

  const process = async (): Promise<RedisSessionRepository> => {
    const connection = await RedisConnection.open(settingsOf(RedisSettings, { url: redis.url }));
    closing.push(() => connection.close());
    const sessions = new RedisSessionRepository(connection);
    await sessions.onApplicationBootstrap();
    return sessions;
  };
  const replace = async (): Promise<void> => void (await redis.command('FLUSHALL'));

  describeAges({ process, replace });

  it('is strict in processes that start after a replacement, too', async () => {
    const first = await process();
    await replace();
    await first.open(begun(0), '1.1', day);
    const newcomer = await process();
    expect((await newcomer.open(begun(-5000), '1.1', day))?.isLost).toBe(true);
  });
});
