import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from './random.js';
import type { TestRedis } from './redis.js';
import type { RoughProxy } from './rough-proxy.js';

/** A Redis with a network before it. */
export interface ReachedRedis {
  readonly redis: TestRedis;
  readonly proxy: RoughProxy;
  /** Whether new connections reach it. */
  isReachable: boolean;
}

/** Something happens to Redis; it is over when this settles. */
export type RedisFault = (reached: ReachedRedis, random: Random) => Promise<void>;

/** Once or again and again, as of processes that read their messages too slowly. */
const closesSubscriptions: RedisFault = async ({ redis }, random) => {
  for (let left = 1 + random.below(6); left > 0; left--) {
    await redis.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await delay(random.below(random.of([10, 100, 500])));
  }
};

/** NOREPLICAS: reads go on. */
const refusesWrites: RedisFault = async ({ redis }, random) => {
  await redis.command('CONFIG', 'SET', 'min-replicas-to-write', 1);
  await delay(500 + random.below(2000));
  await redis.command('CONFIG', 'SET', 'min-replicas-to-write', 0);
};

/** A router that has lost its connections drops what comes, and tells neither side; at last it refuses it. */
const isInABlackHole: RedisFault = async (reached, random) => {
  reached.isReachable = false;
  reached.proxy.swallow();
  await delay(500 + random.below(3000));
  reached.isReachable = true;
  reached.proxy.be('cut');
};

const resetsConnections: RedisFault = async ({ proxy }, random) => {
  proxy.be('cut');
  await delay(random.below(500));
};

export const redisFaults: Readonly<Record<string, RedisFault>> = {
  'closes subscriptions': closesSubscriptions,
  'refuses writes for lack of replicas': refusesWrites,
  'is in a black hole': isInABlackHole,
  'resets connections': resetsConnections,
};
