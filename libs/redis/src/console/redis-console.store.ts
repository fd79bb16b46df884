import { Injectable } from '@nestjs/common';
import { type ChartMinute, ConsoleStore, keptChartMinutes } from '#common';
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

/** In Redis, for all processes. While it is away, sessions cannot be checked or changed. */
@Injectable()
export class RedisConsoleStore extends ConsoleStore {
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
}

/** Undefined for what another program wrote there. */
function chartMinuteOf(text: string): readonly ChartMinute[] {
  const [, minute, node, figures] = /^(\d+) (\S+) (.*)$/s.exec(text) ?? [];
  return figures === undefined ? [] : [{ minute: Number(minute), node: node!, figures }];
}
