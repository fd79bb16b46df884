import type { StoreRoom } from 'rookery/channels';
import type { RedisConnection } from '../connection/redis.connection.js';

/**
 * What all processes together may keep in Redis: half of its memory, as long as a quarter stays free. Other programs may
 * use the rest.
 * @throws Unavailable when Redis is away
 */
export async function roomIn(redis: RedisConnection): Promise<StoreRoom> {
  const [{ used, most }, live] = await Promise.all([
    redis.memory(),
    redis.ask((client) => client.zcard(redis.keys.ofNodes('leases'))),
  ]);
  const processes = Math.max(1, live);
  if (most === 0) return { processes };
  return { processes, maxBytes: most / 2, freeBytes: Math.max(0, (most * 3) / 4 - used) };
}
