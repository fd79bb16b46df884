import { randomUUID } from 'node:crypto';
import type { TestingModule } from '@nestjs/testing';
import { expect, it } from 'vitest';
import { keptChartMinutes, type RequestLimit, RequestRates, ThisNode } from '#common';
import { Broker, ChannelRepository, IdempotencyKeys, ReceiptRepository, SessionRepository } from 'rookery/channels';
import { PresenceRepository } from 'rookery/presence';
import { RedisConsoleStore, RedisJobStore } from 'rookery/internal/redis';
import { maxRemembered } from '../../libs/redis/src/connection/script.js';
import { nameOf, partitionOf, partitions } from '../../libs/redis/src/keys.js';
import { describeRedis } from '../support/redis.js';
import { useRedisPorts } from '../support/redis-ports.js';

const [minute, day] = [60, 86_400];
/** `PTTL` answers -1 ms. */
const forever = -0.001;

/** What the test passes, in seconds, each unlike the others. */
const given = {
  opened: 700,
  saved: 1100,
  remembered: 1300,
  history: 1700,
  signIn: 1900,
  rate: 2300,
  receipts: 2700,
  dead: 3100,
};

/** For how many seconds Redis keeps each key, named after its partition; a kind of many keys ends in a colon. */
const lifetimes: readonly (readonly [seconds: number, ...kinds: readonly string[]])[] = [
  [day, 'epoch', 'replaced', 'version', 'stamp', 'gone:', 'unconfirmed-channels-forgotten'],
  [2 * minute, 'vacated:', 'left:', 'left-by-version', 'unanswered-channels:', 'unanswered-members:'],
  [2 * minute, 'confirmed-channels:', 'confirmed-members:', 'confirmed-channels-by-version'],
  [2 * minute, 'confirmed-members-by-version', 'unconfirmed-channels:', 'unconfirmed-members:'],
  [2 * minute, 'unconfirmed-channels-by-version', 'unconfirmed-members-by-version'],
  [2 * minute, 'node-unconfirmed-channels:', 'node-unconfirmed-members:'],
  [30 * day, 'sessions-since', 'sessions-replaced', 'history-epoch'],
  [given.opened, 'session:app key opened'],
  [given.saved, 'session:app key saved'],
  [minute, 'idempotent:app claimed'],
  [day, 'idempotent:app answered', 'idempotency-keys:'],
  [given.remembered, 'remembered:'],
  [given.history, 'history:'],
  [2 * day, 'history-latest:', 'jobs:data', 'jobs:jobs', 'jobs:keys', 'jobs:claims', 'jobs:claimed', 'jobs:added'],
  [2 * day, 'jobs:key:'],
  [given.receipts, 'receipts:'],
  [given.dead, 'jobs:dead:', 'jobs:dead-jobs:', 'jobs:dead-counts:'],
  [given.rate, 'taken', 'given back'],
  [given.signIn, 'sign-in:'],
  [keptChartMinutes * minute, 'charts'],
  [30 * day, 'healths', 'healths-by-attempt'],
  // Processes remove these, or others do so for them.
  [forever, 'leases', 'about', 'channels:', 'node:', 'admitted:', 'node-admitted:'],
  [forever, 'users:', 'connections:', 'present:'],
];

const lifeOf = new Map(lifetimes.flatMap(([seconds, ...kinds]) => kinds.map((kind) => [kind, seconds])));

const kindOf = (key: string): string =>
  [...lifeOf.keys()].find((kind) => (kind.endsWith(':') ? key.startsWith(kind) : key === kind)) ?? key;

describeRedis('what Redis keeps', () => {
  const { redis, app } = useRedisPorts();

  /** All keys, without the prefix. */
  async function keptSeconds(): Promise<readonly (readonly [key: string, seconds: number])[]> {
    const names = (await redis().command('KEYS', '*')) as string[];
    const lives = await Promise.all(names.map((name) => redis().command('PTTL', name)));
    return names.map((name, at) => [name.replace(/^rookery:\{\w+\}:/, ''), Number(lives[at]) / 1000]);
  }

  it('is kept for as long as its kind says', async () => {
    await useAll(app());
    const kept = await keptSeconds();
    const misfits = kept.filter(([key, seconds]) => {
      const life = lifeOf.get(kindOf(key));
      return life === undefined || seconds > life + 0.002 || seconds < (life === forever ? life : life - 30);
    });
    expect(misfits).toEqual([]);
    const found = new Set(kept.map(([key]) => kindOf(key)));
    expect([...lifeOf.keys()].filter((kind) => !found.has(kind))).toEqual([]);
  });

  it('is a lease that ends after leaseSeconds', async () => {
    await app().get(ThisNode).recount?.();
    const [seconds] = (await redis().command('TIME')) as [string];
    const [, until] = (await redis().command('ZRANGE', 'rookery:{nodes}:leases', 0, 0, 'WITHSCORES')) as [
      string,
      string,
    ];
    const left = Number(until) / 1000 - Number(seconds);
    expect(left).toBeGreaterThan(5);
    expect(left).toBeLessThanOrEqual(16);
  });

  /** Makes Redis keep each kind at least once. */
  async function useAll(of: TestingModule): Promise<void> {
    await useChannels(of.get(ChannelRepository));
    await usePresence(of.get(PresenceRepository));
    // Another one than the process has begun with.
    await redis().command('SET', 'rookery:{nodes}:sessions-since', Date.now());
    await useSessions(of.get(SessionRepository));
    await useIdempotency(of.get(IdempotencyKeys));
    await useReceipts(of.get(ReceiptRepository));
    await useBroker(of.get(Broker));
    await useRates(of.get(RequestRates));
    await useJobs(of.get(RedisJobStore));
    await of.get(RedisConsoleStore).beginSession('name', given.signIn);
    await of
      .get(RedisConsoleStore)
      .keepMinute({ minute: Math.floor(Date.now() / 60_000), node: 'node', figures: '{}' });
    await of.get(RedisConsoleStore).keepHealth({ owner: 'app', url: 'https://a.example', at: Date.now(), text: '{}' });
    // Redis loses its data, which the next heartbeat notices.
    await redis().command('DEL', 'rookery:{nodes}:epoch');
    await of.get(ThisNode).recount?.();
  }
});

async function useChannels(channels: ChannelRepository): Promise<void> {
  // More than a partition remembers.
  const all = Array.from({ length: 300 * partitions }, (_, n) => `channel-${n}`);
  const many = all.filter((name) => partitionOf(nameOf('app', name)) === 7);
  expect(many.length).toBeGreaterThan(maxRemembered);
  await Promise.all(many.map((name) => channels.occupy('app', name, 'node', 1)));
  const vacated = await Promise.all(many.map((name) => channels.occupy('app', name, 'node', 0)));
  const { change } = vacated.at(-1)!;
  await channels.confirmVacated('app', many.at(-1)!, change!.version);
  await channels.occupy('app', 'a', 'dead', 1);
  await channels.admit('app', 'dead', '1.1', 10);
  await channels.takeOut('dead', 'node');
  await channels.occupy('app', 'b', 'node', 1);
  await channels.admit('app', 'node', '2.2', 10);
}

async function usePresence(presence: PresenceRepository): Promise<void> {
  const room = { scope: 'app', name: 'presence-room' };
  for (const nodeId of ['node', 'other'])
    for (const connectionId of [`${nodeId}-1`, `${nodeId}-2`])
      await presence.join(room, { nodeId, connectionId }, { userId: connectionId }, 10);
  const left = await presence.leave(room, { nodeId: 'node', connectionId: 'node-1' });
  await presence.confirmAbsent(room, 'node-1', left!.version);
  await presence.takeOut('other', 'node');
}

async function useSessions(sessions: SessionRepository): Promise<void> {
  const tab = { appId: 'app', key: 'key' };
  for (const id of ['opened', 'saved']) await sessions.open({ ...tab, id }, '1.1', given.opened);
  await sessions.save({ ...tab, id: 'saved' }, '1.1', { positions: [['a', '7']] }, given.saved);
}

async function useIdempotency(keys: IdempotencyKeys): Promise<void> {
  const request = (key: string) => ({ appId: 'app', key, print: '0'.repeat(64), claimId: randomUUID() });
  await keys.claim(request('claimed'));
  const answered = request('answered');
  await keys.claim(answered);
  await keys.answer(answered, '{}');
}

async function useReceipts(receipts: ReceiptRepository): Promise<void> {
  const receipt = { appId: 'app', receipt: 'r'.repeat(43), userId: 'alice', isShown: false, at: 1 };
  await receipts.add([{ ...receipt, keepMs: given.receipts * 1000 }], 10);
}

async function useBroker(broker: Broker): Promise<void> {
  const history = { events: 10, seconds: given.history, bytes: 10_000 };
  // The second one finds the epoch.
  for (const channel of ['once', 'twice', 'twice'])
    await broker.publish({ kind: 'event', appId: 'app', channel, text: '{}', history }, given.remembered);
}

async function useRates(rates: RequestRates): Promise<void> {
  const limit: RequestLimit = { name: 'taken', perSecond: 1 / given.rate, atOnce: 2 };
  await rates.take([limit]);
  const other = { ...limit, name: 'given back' };
  await rates.take([other]);
  await rates.take([other]);
  await rates.giveBack([other]);
}

async function useJobs(jobs: RedisJobStore): Promise<void> {
  const job = (key: string) => ({ id: randomUUID(), owner: 'app', key, dueAt: 0, data: {}, state: '' });
  const now = Date.now();
  await jobs.add([job('dies'), job('is held')]);
  const claim = { id: 'claim', now, limit: 2, perKey: 1, busy: new Set<string>(), leaseMs: 60_000 };
  const [dying] = await jobs.claim(claim);
  const limits = { most: 10, maxBytes: 10_000, keepMs: given.dead * 1000 };
  await jobs.bury(dying!, { diedAt: now, reason: 'x' }, limits);
  await jobs.add([job('waits')]);
}
