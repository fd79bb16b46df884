import assert from 'node:assert/strict';
import type { KeyedRequest } from 'rookery/channels';
import {
  RedisBroker,
  RedisChannelRepository,
  type RedisConnection,
  RedisIdempotencyKeys,
  RedisJobStore,
  RedisPresenceRepository,
  RedisReceiptRepository,
  RedisRequestRates,
  RedisSessionRepository,
} from 'rookery/internal/redis';
import { Logger } from '@nestjs/common';
import { UnreadableAnswer } from '../../../libs/redis/src/connection/answers.js';
import { DroppedRecords } from '../../../libs/redis/src/connection/dropped-records.js';
import { Keys } from '../../../libs/redis/src/keys.js';
import type { Target } from '../target.js';

/** What Redis answers next, to any script. */
let answer: unknown;

// What the adapters use of a connection.
const redis = {
  keys: new Keys('fuzz', 0),
  settings: { heartbeatSeconds: 1, lingerSeconds: 1, outageSeconds: 1 },
  dropped: new DroppedRecords(new Logger('Redis')),
  awaySeconds: 0,
  onConnect: () => {},
  run: async () => answer,
  insist: async () => answer,
} as unknown as RedisConnection;

const broker = new RedisBroker(redis);
const channels = new RedisChannelRepository(redis);
const presence = new RedisPresenceRepository(redis);
const keys = new RedisIdempotencyKeys(redis);
const jobs = new RedisJobStore(redis);
const sessions = new RedisSessionRepository(redis);
const receipts = new RedisReceiptRepository(redis);
const rates = new RedisRequestRates(redis);

const event = { kind: 'event', appId: '1', channel: 'a', text: '{}' } as const;
const room = { scope: '1', name: 'presence-a' };
const holder = { nodeId: 'n', connectionId: '1.1' };
const request: KeyedRequest = { appId: '1', key: 'k', print: 'a', claimId: 'c' };
const session = { appId: '1', key: 'k', id: 's' };
const receipt = { appId: '1', receipt: 'r', userId: 'u', isShown: true, at: 1, keepMs: 9 };
const limit = { name: 'a', perSecond: 10, atOnce: 10 };
const claim = { id: 'c', now: 1, limit: 9, perKey: 9, busy: new Set<string>(), leaseMs: 1 };

/** Each with an answer that it understands. */
const calls: readonly (readonly [call: () => Promise<unknown>, answer: unknown])[] = [
  [() => broker.publish(event), '1700000000000001'],
  [async () => broker.recall('1', 'a'), ['1700000000000001\n{}', 7000]],
  [async () => broker.history('1', 'a', 9), [1, '1700000000000002', [['1700000000000001', '', '{}']]]],
  [() => channels.occupy('1', 'a', 'n', 1), [1, '1700000000000001', '1700000000000001', 0]],
  [() => channels.announce('n', { channels: [], admitted: [] }), ['1', [['1 a', 1, '2', '2', 1]]]],
  [() => presence.join(room, holder, { userId: 'u' }, 9), [1, '2', '3', '2']],
  [() => presence.leave(room, holder), ['u', '1', '3', '2']],
  [() => presence.update(room, { userId: 'u' }), '3'],
  [() => presence.roster(room), ['3', ['u', '2 1 +{"name":"U"}', 'v', '1 2 -']]],
  [() => presence.announce('n', []), ['1', [['1 presence-a', 'u', '+{}', '1', '3', '2']]]],
  [() => keys.claim(request), ['answered', '{}']],
  [() => jobs.claim(claim), [['id', 'owner', 'key', '0', '{}', 'null']]],
  [() => jobs.backlog(1), [1, '1700000000000']],
  [() => jobs.dead('1', '', 9), [['id', 'owner', 'key', '0', '{}', 'null', '1', 'why']]],
  [async () => sessions.open(session, '1.1', 60), ['c', '1.1 1.2', 'u', 'alice', 'p:a', '1700000000000001']],
  [async () => sessions.save(session, '1.1', { positions: [] }, 60), 'saved'],
  [() => receipts.add([receipt], 9), [1]],
  [() => receipts.find('1', 'r', 9), ['u', '1700000000000 ', 'v', '1700000000000 1700000000001']],
  [() => rates.take([limit]), 0],
];

/** Answers of Redis to scripts, by a line with the call's number: read, with numbers that are some, or refused. */
export const answers = (): Target => ({
  name: 'answers',
  seeds: calls.map(([, known], call) => `${call}\n${JSON.stringify(known)}`),
  batch: 500,
  async run(input) {
    const [number = '', ...rest] = input.toString().split('\n');
    const [call, known] = calls[Math.abs(Number.parseInt(number, 10) || 0) % calls.length]!;
    try {
      answer = JSON.parse(rest.join('\n'));
    } catch {
      return;
    }
    try {
      checkNumbers(await call());
    } catch (error) {
      if (!(error instanceof UnreadableAnswer)) throw error;
    }
    // Whatever it was, the next answer is understood.
    answer = known;
    await call();
  },
});

/** Those of a job's own data and state are its writer's. */
function checkNumbers(value: unknown): void {
  if (typeof value === 'number') assert.ok(Number.isFinite(value), String(value));
  if (typeof value !== 'object' || value === null) return;
  for (const [name, each] of Object.entries(value)) if (name !== 'data' && name !== 'state') checkNumbers(each);
}
