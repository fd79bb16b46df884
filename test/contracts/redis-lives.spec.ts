import type { TestingModule } from '@nestjs/testing';
import { expect, it } from 'vitest';
import { ChannelRepository, IdempotencyKeys } from 'rookery/channels';
import { PresenceRepository } from 'rookery/presence';
import { RedisJobStore } from 'rookery/redis';
import { nameOf, partitionOf, partitions } from '../../libs/redis/src/keys.js';
import { describeRedis } from '../support/redis.js';
import { useRedisPorts } from '../support/redis-ports.js';

/** The commands that count the entries of a key. */
const sizes: Readonly<Record<string, string>> = { hash: 'HLEN', set: 'SCARD', zset: 'ZCARD', list: 'LLEN' };
/** What is kept for some minutes after a life, and is bounded: answers to repeat, and what others may not have seen. */
const lingers = /:(un(answered|confirmed)|confirmed|vacated|left|gone|node-unconfirmed)/;
const lives = 1000;

type Life = (of: TestingModule, n: number) => Promise<void>;

describeRedis('what a thousand lives leave in Redis', () => {
  const { redis, app } = useRedisPorts();

  /** How many entries all keys have that do not expire by themselves within minutes. */
  async function entries(): Promise<number> {
    const names = (await redis().command('KEYS', '*')) as string[];
    const counts = names
      .filter((name) => !lingers.test(name))
      .map(async (name) => {
        const size = sizes[(await redis().command('TYPE', name)) as string];
        return size === undefined ? 1 : Number(await redis().command(size, name));
      });
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  }

  it('of keys of idempotency in one app take no place from those of another', async () => {
    const keys = app().get(IdempotencyKeys);
    const request = (appId: string, key: string) => ({ appId, key, print: '0'.repeat(64), claimId: key });
    // The earliest of all, and the first by name.
    const other = request('a', 'key');
    await keys.claim(other);
    const full = partitionOf(nameOf('a', 'key'));
    const names = Array.from({ length: 1100 * partitions }, (_, n) => `key-${n}`);
    const beside = names.filter((name) => partitionOf(nameOf('z', name)) === full);
    expect(beside.length).toBeGreaterThan(1000);
    await Promise.all(beside.map((name) => keys.claim(request('z', name))));
    expect(await keys.claim({ ...other, claimId: 'b' })).toEqual({ state: 'under way' });
  });

  async function leadAll(lead: Life, from: number): Promise<void> {
    for (let n = from; n < from + lives; n += 50)
      await Promise.all(Array.from({ length: 50 }, (_, at) => lead(app(), n + at)));
  }

  it.each<[string, Life]>([
    ['connections', admitAndDismiss],
    ['channels', occupyAndVacate],
    ['members', joinAndLeave],
    ['jobs', runAJob],
  ])('%s: nothing', async (_, lead) => {
    // Earlier ones reach every partition, which keeps a version.
    await leadAll(lead, lives);
    const before = await entries();
    await leadAll(lead, 0);
    expect((await entries()) - before).toBeLessThan(lives / 100);
  });
});

async function admitAndDismiss(of: TestingModule, n: number): Promise<void> {
  const channels = of.get(ChannelRepository);
  expect(await channels.admit('app', 'node', `${n}.1`, 10_000)).toBe(true);
  await channels.dismiss('app', 'node', `${n}.1`);
}

async function occupyAndVacate(of: TestingModule, n: number): Promise<void> {
  const channels = of.get(ChannelRepository);
  await channels.occupy('app', `channel-${n}`, 'node', 1);
  const { change } = await channels.occupy('app', `channel-${n}`, 'node', 0);
  await channels.confirmVacated('app', `channel-${n}`, change!.version);
}

async function joinAndLeave(of: TestingModule, n: number): Promise<void> {
  const [presence, room] = [of.get(PresenceRepository), { scope: 'app', name: `presence-${n}` }];
  const place = { nodeId: 'node', connectionId: `${n}.1` };
  await presence.join(room, place, { userId: 'ann' }, 10);
  const left = await presence.leave(room, place);
  await presence.confirmAbsent(room, 'ann', left!.version);
}

async function runAJob(of: TestingModule, n: number): Promise<void> {
  const jobs = of.get(RedisJobStore);
  const id = `job-${n}`;
  await jobs.add([{ id, owner: 'app', key: `endpoint-${n}`, dueAt: 0, data: '{}', state: '{}' }]);
  const claim = { id: `claim-${n}`, now: Date.now(), limit: 1, perKey: 1, busy: new Set<string>(), leaseMs: 10_000 };
  for (const job of await jobs.claim(claim)) await jobs.done(job);
}
