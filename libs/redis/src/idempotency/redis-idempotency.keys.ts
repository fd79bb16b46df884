import { Injectable } from '@nestjs/common';
import { answerMs, claimMs, IdempotencyKeys, type KeyedRequest, type KeyState } from 'rookery/channels';
import { list, oneOf, text } from '../connection/answers.js';
import { RedisConnection } from '../connection/redis.connection.js';
import { nameOf, partitionOf, word } from '../keys.js';
import * as scripts from './scripts.js';

const states: readonly KeyState['state'][] = ['claimed', 'under way', 'answered', 'different'];

/** Per partition; an app's keys are spread over all: 128,000 at most, and 100,000 before one is full. */
const maxKeys = 1000;

/** In Redis, for all processes: one command before a trigger that has a key, and one after it. */
@Injectable()
export class RedisIdempotencyKeys extends IdempotencyKeys {
  static readonly port = IdempotencyKeys;

  override readonly outlivesProcesses = true;

  constructor(private readonly redis: RedisConnection) {
    super();
  }

  /** @throws Unavailable when Redis is away: nothing can be triggered then */
  async claim(request: KeyedRequest): Promise<KeyState> {
    const args = [request.print, request.claimId, request.keepMs ?? claimMs, answerMs, maxKeys];
    const [found, answer] = list(await this.redis.run(scripts.claim, this.keysOf(request), args));
    const state = oneOf(states, found);
    return state === 'answered' ? { state, answer: text(answer) } : { state };
  }

  /** @throws Unavailable when Redis is away for longer than the settings allow */
  async answer(request: KeyedRequest, answer: string): Promise<void> {
    const args = [request.print, request.claimId, request.keepMs ?? answerMs, answer];
    await this.redis.insist(scripts.answer, this.keysOf(request), args);
  }

  /** @throws Unavailable when Redis is away: the claim ends by itself then */
  async release(request: KeyedRequest): Promise<void> {
    await this.redis.run(scripts.release, this.keysOf(request), [request.claimId]);
  }

  private keysOf({ appId, key }: KeyedRequest): readonly string[] {
    const name = nameOf(appId, key);
    const base = this.redis.keys.in(partitionOf(name));
    return [`${base}idempotent:${name}`, `${base}idempotency-keys:${word(appId)}`];
  }
}
