import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, isInABlackHole, type Reached, resetsConnections } from './network-faults.js';
import type { TestRedis } from './redis.js';

/** A Redis with a network before it. */
export interface ReachedRedis extends Reached {
  readonly redis: TestRedis;
}

/** Once or again and again, as of processes that read their messages too slowly. */
const closesSubscriptions: Fault<ReachedRedis> = async ({ redis }, random) => {
  for (let left = 1 + random.below(6); left > 0; left--) {
    await redis.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await delay(random.below(random.of([10, 100, 500])));
  }
};

/** NOREPLICAS: reads go on. */
const refusesWrites: Fault<ReachedRedis> = async ({ redis }, random) => {
  await redis.command('CONFIG', 'SET', 'min-replicas-to-write', 1);
  await delay(500 + random.below(2000));
  await redis.command('CONFIG', 'SET', 'min-replicas-to-write', 0);
};

export const redisFaults: Readonly<Record<string, Fault<ReachedRedis>>> = {
  'closes subscriptions': closesSubscriptions,
  'refuses writes for lack of replicas': refusesWrites,
  'is in a black hole': isInABlackHole,
  'resets connections': resetsConnections,
};
