import { Injectable } from '@nestjs/common';
import { SignIns } from '#common';
import { RedisConnection } from '../connection/redis.connection.js';
import { Script } from '../connection/script.js';

// KEYS: the session. ARGV: seconds.
const begin = new Script(`redis.call('SET', KEYS[1], '', 'EX', ARGV[1])
return 1`);
const exists = new Script(`return redis.call('EXISTS', KEYS[1])`);
const end = new Script(`return redis.call('DEL', KEYS[1])`);

/** In Redis, for all processes. While it is away, sign-ins cannot be checked or changed. */
@Injectable()
export class RedisSignIns extends SignIns {
  constructor(private readonly redis: RedisConnection) {
    super();
  }

  /** @throws Unavailable when Redis is away */
  async begin(name: string, seconds: number): Promise<void> {
    await this.redis.run(begin, [this.redis.keys.ofSignIn(name)], [seconds]);
  }

  /** @throws Unavailable when Redis is away */
  async isOpen(name: string): Promise<boolean> {
    return (await this.redis.run(exists, [this.redis.keys.ofSignIn(name)])) === 1;
  }

  /** @throws Unavailable when Redis is away */
  async end(name: string): Promise<void> {
    await this.redis.run(end, [this.redis.keys.ofSignIn(name)]);
  }
}
