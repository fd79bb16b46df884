import { settingsOf } from 'rookery/common';
import { RedisConnection, RedisNotUsable, RedisSettings } from 'rookery/redis';
import type { ServerConfig } from '../../../server/src/config/config.js';
import { lineOf } from '../fault.js';
import { about, clockFinding, type Findings } from './finding.js';

const say = about('Redis');

/** Whether Redis can be reached, and is one that can be entrusted with live state. */
export async function* redisFindings({ redis }: ServerConfig): Findings {
  if (!redis) return;
  let connection: RedisConnection | undefined;
  try {
    connection = await RedisConnection.open(settingsOf(RedisSettings, redis, { path: 'REDIS_URL' }));
    const before = Date.now();
    // Any node of a cluster answers; of one, the clocks of all should agree.
    const answer = await connection.ask((client) => client.call('TIME') as Promise<[string, string]>);
    const after = Date.now();
    yield say.ok(`it answers within ${after - before} ms, evicts nothing and is new enough`);
    yield clockFinding('Redis', 'its', Number(answer[0]) * 1000 + Number(answer[1]) / 1000, before, after);
  } catch (error) {
    const reason = error instanceof RedisNotUsable ? error.reason : lineOf(error);
    yield say.fault(
      `REDIS_URL: ${reason}`,
      'Name a Redis 7 or Valkey that can be reached from here, with `maxmemory-policy noeviction`',
    );
  } finally {
    connection?.close();
  }
}
