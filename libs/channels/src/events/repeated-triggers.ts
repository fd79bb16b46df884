import { Injectable, Logger } from '@nestjs/common';
import { hash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Unavailable } from 'rookery/common';
import type { App } from '../access/app.js';
import { differentRequest } from '../channels.errors.js';
import { jsonText } from '../protocol/json-text.js';
import { IdempotencyKeys, type KeyedRequest, type KeyState } from '../storage/idempotency.keys.js';
import { OwedReleases } from './owed-releases.js';

const longestPauseMs = 500;

/**
 * Does once what is asked for repeatedly under one key of an app, and answers the repeats what the first was answered,
 * for 24 hours (api § Idempotency-Key).
 */
@Injectable()
export class RepeatedTriggers {
  private readonly logger = new Logger('Channels');

  private readonly owed: OwedReleases;

  constructor(private readonly keys: IdempotencyKeys) {
    this.owed = new OwedReleases(keys);
  }

  /**
   * A repeat that comes while the first is under way waits for it. What failed is not remembered.
   * @throws ChannelsApiError 422 when the key stands for another request
   */
  async once<Answer>(app: App, key: string, request: unknown, work: () => Promise<Answer>): Promise<Answer> {
    const print = hash('sha256', jsonText(request) ?? '');
    const keyed = { appId: app.id, key, print, claimId: randomUUID() };
    for (let pauseMs = 10; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const found = await this.claim(keyed);
      if (found.state === 'claimed') return this.first(keyed, work);
      if (found.state === 'different') throw differentRequest();
      // A key belongs to requests of one kind: what it stands for has the same print.
      if (found.state === 'answered') return JSON.parse(found.answer) as Answer;
      await delay(pauseMs);
    }
  }

  /** A claim whose answer was lost may hold all the same: a repeat would wait for its end. */
  private async claim(keyed: KeyedRequest): Promise<KeyState> {
    try {
      return await this.keys.claim(keyed);
    } catch (error) {
      this.owed.add(keyed);
      throw error;
    }
  }

  private async first<Answer>(keyed: KeyedRequest, work: () => Promise<Answer>): Promise<Answer> {
    let answer: Answer;
    try {
      answer = await work();
    } catch (error) {
      await this.release(keyed, error);
      throw error;
    }
    await this.remember(keyed, JSON.stringify(answer));
    return answer;
  }

  /** Where the processes cannot share anything now, the client gets its 503 without waiting for a second failure. */
  private async release(keyed: KeyedRequest, failure: unknown): Promise<void> {
    try {
      if (failure instanceof Unavailable) this.owed.add(keyed);
      else await this.keys.release(keyed);
    } catch {
      this.owed.add(keyed);
    }
  }

  /** What was done is answered as it was, also where it cannot be remembered: the claim ends by itself. */
  private async remember(keyed: KeyedRequest, answer: string): Promise<void> {
    try {
      await this.keys.answer(keyed, answer);
    } catch (error) {
      const { appId, key } = keyed;
      this.logger.warn(`What the Idempotency-Key ${key} of app ${appId} was answered is not kept: ${String(error)}`);
    }
  }
}
