import type { RedisConnection } from '../connection/redis.connection.js';

/**
 * How many bytes this process may have Redis keep: its share of half the memory that Redis may use; undefined if that is
 * unlimited.
 * @throws Unavailable when Redis is away
 */
export async function roomIn(redis: RedisConnection): Promise<number | undefined> {
  const [memory, processes] = await Promise.all([
    redis.maxMemory(),
    redis.ask((client) => client.zcard(redis.keys.ofNodes('leases'))),
  ]);
  return memory === 0 ? undefined : memory / 2 / Math.max(1, processes);
}
