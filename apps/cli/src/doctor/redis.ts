import { settingsOf } from 'rookery/internal/common';
import { RedisConnection, RedisNotUsable, RedisSettings } from 'rookery/redis';
import type { ServerConfig } from '../../../server/src/config/config.js';
import { lineOf } from '../fault.js';
import { about, aliveOn, clockFinding, type Findings } from './finding.js';

const say = about('Redis');

/** Checks whether Redis can be reached, and is safe for live state. */
export async function* redisFindings({ redis }: ServerConfig): Findings {
  if (!redis) return;
  let connection: RedisConnection | undefined;
  try {
    const settings = settingsOf(RedisSettings, redis, { path: 'REDIS_URL' });
    connection = await RedisConnection.open(settings, { isPatient: false });
    const before = Date.now();
    // Any node of a cluster answers; the clocks of one cluster should agree.
    const answer = await connection.ask((client) => client.call('TIME') as Promise<[string, string]>);
    const after = Date.now();
    yield say.ok(`it answers within ${after - before} ms, evicts nothing and has a supported version`);
    const now = Number(answer[0]) * 1000 + Number(answer[1]) / 1000;
    yield clockFinding('Redis', 'its', now, before, after);
    const leases = connection.keys.ofNodes('leases');
    const alive = await connection.ask((client) => client.zcount(leases, now, '+inf'));
    yield about('cluster').ok(aliveOn('Redis', alive));
  } catch (error) {
    const reason = error instanceof RedisNotUsable ? error.reason : lineOf(error);
    yield say.fault(
      `REDIS_URL: ${reason}`,
      'Use a Redis 7 or Valkey that is reachable from here, with `maxmemory-policy noeviction`',
    );
  } finally {
    connection?.close();
  }
}
