import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { hashOf, settingsOf } from '#common';
import {
  RedisChannelRepository,
  RedisConnection,
  RedisPresenceRepository,
  RedisSettings,
} from 'rookery/internal/redis';
import { describeRedis, redisAndValkey, type TestRedis } from '../support/redis.js';

const partitions = 128;

/** Names that share a partition, so that a few fill it. */
function namesOf(count: number): readonly string[] {
  const names: string[] = [];
  for (let n = 0; names.length < count; n += 1) {
    const name = `presence-${n}`.padEnd(100, 'x');
    if (hashOf(`app ${name}`) % partitions === 0) names.push(name);
  }
  return names;
}

describeRedis.each(redisAndValkey())('of channels that a client has entered and left, %s', (_, start) => {
  const names = namesOf(1500);
  let redis: TestRedis;
  let connection: RedisConnection;
  beforeAll(async () => void (redis = await start()));
  afterAll(() => redis.stop());
  beforeEach(async () => {
    await redis.command('FLUSHALL');
    connection = await RedisConnection.open(settingsOf(RedisSettings, { url: redis.url }));
  });
  afterEach(() => connection.close());

  it('keeps the latest, however many they are, and still answers a repeated call', async () => {
    const channels = new RedisChannelRepository(connection);
    for (const name of names) {
      await channels.occupy('app', name, 'node', 1);
      const { change } = await channels.occupy('app', name, 'node', 0);
      await channels.confirmVacated('app', name, change!.version);
    }
    for (const name of names.slice(0, 300)) {
      await channels.occupy('app', name, 'node', 1);
      const left = await channels.occupy('app', name, 'node', 0);
      expect(await channels.occupy('app', name, 'node', 0)).toMatchObject({ change: left.change });
    }
    expect(await redis.command('DBSIZE')).toBeLessThan(200);
    expect(await redis.command('SCARD', 'rookery:{0}:node-unconfirmed-channels:node')).toBeLessThan(100);
  });

  it('still holds a vacancy that was forgotten among many, until the channel is occupied again', async () => {
    const channels = new RedisChannelRepository(connection);
    const versions: number[] = [];
    for (const name of names) {
      await channels.occupy('app', name, 'node', 1);
      versions.push((await channels.occupy('app', name, 'node', 0)).change!.version);
    }
    const isHeld = (n: number) => channels.holdsVacancy('app', names[n]!, versions[n]!, 'node');
    const isConfirmed = (n: number) => channels.confirmVacated('app', names[n]!, versions[n]!);
    expect([await isHeld(0), await isHeld(1), await isHeld(1499)]).toEqual([true, true, true]);
    expect([await isConfirmed(0), await isConfirmed(1499)]).toEqual([true, true]);
    await channels.occupy('app', names[1]!, 'other', 1);
    expect([await isHeld(1), await isConfirmed(1)]).toEqual([false, false]);
  });

  it('keeps as little of the members that were on them', async () => {
    const ledger = new RedisPresenceRepository(connection);
    const versions: number[] = [];
    for (const [n, name] of names.entries()) {
      const [room, holder] = [
        { scope: 'app', name },
        { nodeId: 'node', connectionId: String(n) },
      ];
      await ledger.join(room, holder, { userId: 'alice' }, 10);
      const left = (await ledger.leave(room, holder))!;
      expect(await ledger.leave(room, holder)).toMatchObject({ wasLast: true, version: left.version });
      versions.push(left.version);
    }
    expect(await redis.command('DBSIZE')).toBeLessThan(200);
    const first = [{ scope: 'app', name: names[0]! }, 'alice', versions[0]!] as const;
    expect(await ledger.holdsAbsence(...first, 'node')).toBe(true);
    expect(await ledger.confirmAbsent(...first)).toBe(true);
    await ledger.join(first[0], { nodeId: 'node', connectionId: 'again' }, { userId: 'alice' }, 10);
    expect(await ledger.holdsAbsence(...first, 'node')).toBe(false);
  });
});
