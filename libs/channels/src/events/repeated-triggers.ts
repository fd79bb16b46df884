import { Injectable, Logger } from '@nestjs/common';
import { hash, randomUUID } from 'node:crypto';
import { pause, Unavailable } from '#common';
import type { App } from '../app/app.js';
import { differentRequest } from '../channels.errors.js';
import { jsonText } from '../protocol/json-text.js';
import { IdempotencyKeys, type KeyedRequest, type KeyState } from '../storage/idempotency.keys.js';
import { KeptBytes } from './kept-bytes.js';
import { UnsettledClaims } from './unsettled-claims.js';

const longestPauseMs = 500;
/** Bytes that are kept with an answer: the fingerprint, the claim, and the store's own. */
const besideAnswer = 300;

/**
 * Performs requests with the same key of an app once, and gives repeats the first request's answer for 24 hours
 * (api § Idempotency-Key).
 */
@Injectable()
export class RepeatedTriggers {
  private readonly logger = new Logger('Channels');

  private readonly unsettled: UnsettledClaims;

  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly kept: KeptBytes,
  ) {
    this.unsettled = new UnsettledClaims(keys);
  }

  /**
   * A repeat waits while the first request is in progress. Failures are not remembered.
   * @throws ChannelsApiError 422 when the key was used for another request, 429 when too many answers are kept
   */
  async once<Answer>(app: App, key: string, request: unknown, work: () => Promise<Answer>): Promise<Answer> {
    const print = hash('sha256', jsonText(request) ?? '');
    const keyed = { appId: app.id, key, print, claimId: randomUUID() };
    for (let pauseMs = 10; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const found = await this.claim(keyed);
      if (found.state === 'claimed') return this.first(app, keyed, work);
      if (found.state === 'different') throw differentRequest();
      // A key belongs to requests of one kind, because the fingerprints are equal.
      if (found.state === 'answered') return JSON.parse(found.answer) as Answer;
      await pause(pauseMs);
    }
  }

  /** A claim may hold although its answer was lost; without a release, a repeat would wait until it expires. */
  private async claim(keyed: KeyedRequest): Promise<KeyState> {
    try {
      return await this.keys.claim(keyed);
    } catch (error) {
      this.unsettled.add(keyed);
      throw error;
    }
  }

  private async first<Answer>(app: App, keyed: KeyedRequest, work: () => Promise<Answer>): Promise<Answer> {
    let answer: Answer;
    try {
      this.kept.assertRoom(app, 'keptAnswers', besideAnswer);
      answer = await work();
    } catch (error) {
      await this.release(keyed, error);
      throw error;
    }
    const text = JSON.stringify(answer);
    this.kept.add(app, 'keptAnswers', besideAnswer + keyed.key.length + Buffer.byteLength(text));
    await this.remember(keyed, text);
    return answer;
  }

  /** While shared state is unavailable, the client gets its 503 without waiting for a second failure. */
  private async release(keyed: KeyedRequest, failure: unknown): Promise<void> {
    try {
      if (failure instanceof Unavailable) this.unsettled.add(keyed);
      else await this.keys.release(keyed);
    } catch {
      this.unsettled.add(keyed);
    }
  }

  /** The answer is returned even if it cannot be stored yet: until it is, a repeat waits, or the claim expires. */
  private async remember(keyed: KeyedRequest, answer: string): Promise<void> {
    try {
      await this.keys.answer(keyed, answer);
    } catch (error) {
      const { appId, key } = keyed;
      this.logger.warn(`The answer for Idempotency-Key ${key} of app ${appId} is not stored yet: ${String(error)}`);
      this.unsettled.add(keyed, answer);
    }
  }
}
