import { Injectable, Logger } from '@nestjs/common';
import { hash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { App } from '../access/app.js';
import { differentRequest } from '../channels.errors.js';
import { jsonText } from '../protocol/json-text.js';
import { IdempotencyKeys, type KeyedRequest } from '../storage/idempotency.keys.js';

const longestPauseMs = 500;

/**
 * Does once what is asked for repeatedly under one key of an app, and answers the repeats what the first was answered,
 * for 24 hours (api § Idempotency-Key).
 */
@Injectable()
export class RepeatedTriggers {
  private readonly logger = new Logger('Channels');

  constructor(private readonly keys: IdempotencyKeys) {}

  /**
   * A repeat that comes while the first is under way waits for it. What failed is not remembered.
   * @throws ChannelsApiError 422 when the key stands for another request
   */
  async once<Answer>(app: App, key: string, request: unknown, work: () => Promise<Answer>): Promise<Answer> {
    const print = hash('sha256', jsonText(request) ?? '');
    const keyed = { appId: app.id, key, print, claimId: randomUUID() };
    for (let pauseMs = 10; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const found = await this.keys.claim(keyed);
      if (found.state === 'claimed') return this.first(keyed, work);
      if (found.state === 'different') throw differentRequest();
      // A key belongs to requests of one kind: what it stands for has the same print.
      if (found.state === 'answered') return JSON.parse(found.answer) as Answer;
      await delay(pauseMs);
    }
  }

  private async first<Answer>(keyed: KeyedRequest, work: () => Promise<Answer>): Promise<Answer> {
    let answer: Answer;
    try {
      answer = await work();
    } catch (error) {
      await this.told(keyed, () => this.keys.release(keyed));
      throw error;
    }
    await this.told(keyed, () => this.keys.answer(keyed, JSON.stringify(answer)));
    return answer;
  }

  /** What was done is answered as it was, also where it cannot be remembered: the claim ends by itself. */
  private async told({ appId, key }: KeyedRequest, tell: () => unknown): Promise<void> {
    try {
      await tell();
    } catch (error) {
      this.logger.warn(`What the Idempotency-Key ${key} of app ${appId} was answered is not kept: ${String(error)}`);
    }
  }
}
