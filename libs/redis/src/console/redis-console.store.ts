import { Injectable } from '@nestjs/common';
import { type ChartMinute, ConsoleStore, keptChartMinutes, type KeptHealth, keptHealths } from '#common';
import { RedisConnection } from '../connection/redis.connection.js';
import { Script } from '../connection/script.js';

// KEYS: the session. ARGV: seconds.
const begin = new Script(`redis.call('SET', KEYS[1], '', 'EX', ARGV[1])
return 1`);
const exists = new Script(`return redis.call('EXISTS', KEYS[1])`);
const end = new Script(`return redis.call('DEL', KEYS[1])`);

// KEYS: a sorted set, by minute, of texts `<minute> <node> <figures>`. ARGV: the minute, the last one that is forgotten,
// `<minute> <node> `, the figures.
const keep = new Script(`redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
for _, kept in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], ARGV[1])) do
  if string.sub(kept, 1, #ARGV[3]) == ARGV[3] then redis.call('ZREM', KEYS[1], kept) end
end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[3] .. ARGV[4])
redis.call('EXPIRE', KEYS[1], ${keptChartMinutes * 60})
return 1`);
// ARGV: the first minute.
const since = new Script(`return redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], '+inf')`);

/** In seconds. */
const healthLife = 30 * 86_400;
// KEYS: a hash of healths by their endpoints, a sorted set of the endpoints by their last attempts. ARGV: the endpoint, its
// last attempt, the health.
const keepHealth = new Script(`local known = redis.call('ZSCORE', KEYS[2], ARGV[1])
if known and tonumber(known) > tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
for _, old in ipairs(redis.call('ZRANGE', KEYS[2], 0, -${keptHealths + 1})) do
  redis.call('HDEL', KEYS[1], old)
  redis.call('ZREM', KEYS[2], old)
end
for _, key in ipairs(KEYS) do redis.call('EXPIRE', key, ${healthLife}) end
return 1`);
const allHealths = new Script(`return redis.call('HVALS', KEYS[1])`);

/** In Redis, for all processes. While it is away, sessions cannot be checked or changed. */
@Injectable()
export class RedisConsoleStore extends ConsoleStore {
  static readonly port = ConsoleStore;

  constructor(private readonly redis: RedisConnection) {
    super();
  }

  /** @throws Unavailable when Redis is away */
  async beginSession(name: string, seconds: number): Promise<void> {
    await this.redis.run(begin, [this.redis.keys.ofSignIn(name)], [seconds]);
  }

  /** @throws Unavailable when Redis is away */
  async hasSession(name: string): Promise<boolean> {
    return (await this.redis.run(exists, [this.redis.keys.ofSignIn(name)])) === 1;
  }

  /** @throws Unavailable when Redis is away */
  async endSession(name: string): Promise<void> {
    await this.redis.run(end, [this.redis.keys.ofSignIn(name)]);
  }

  /** @throws Unavailable when Redis is away */
  async keepMinute({ minute, node, figures }: ChartMinute): Promise<void> {
    const parts = [minute, minute - keptChartMinutes, `${minute} ${node} `, figures];
    await this.redis.run(keep, [this.redis.keys.ofNodes('charts')], parts);
  }

  /** @throws Unavailable when Redis is away */
  async minutesSince(minute: number): Promise<readonly ChartMinute[]> {
    const found = await this.redis.run(since, [this.redis.keys.ofNodes('charts')], [minute]);
    return (found as readonly string[]).flatMap(chartMinuteOf);
  }

  override readonly keepsHealths = true;

  /** @throws Unavailable when Redis is away */
  override async keepHealth(health: KeptHealth): Promise<void> {
    const { owner, url, at } = health;
    const keys = [this.redis.keys.ofNodes('healths'), this.redis.keys.ofNodes('healths-by-attempt')];
    await this.redis.run(keepHealth, keys, [JSON.stringify([owner, url]), at, JSON.stringify(health)]);
  }

  /** @throws Unavailable when Redis is away */
  override async healths(): Promise<readonly KeptHealth[]> {
    const found = await this.redis.run(allHealths, [this.redis.keys.ofNodes('healths')], []);
    return (found as readonly string[]).map((text) => JSON.parse(text) as KeptHealth);
  }
}

/** Undefined for what another program wrote there. */
function chartMinuteOf(text: string): readonly ChartMinute[] {
  const [, minute, node, figures] = /^(\d+) (\S+) (.*)$/s.exec(text) ?? [];
  return figures === undefined ? [] : [{ minute: Number(minute), node: node!, figures }];
}
