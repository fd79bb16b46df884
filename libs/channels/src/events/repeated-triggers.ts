import { Injectable } from '@nestjs/common';
import { hash } from 'node:crypto';
import type { App } from '../access/app.js';
import { differentRequest } from '../channels.errors.js';
import { jsonText } from '../protocol/json-text.js';

const keepMs = 86_400_000;
/** Keys of an app that are remembered at once; beyond it, the oldest is forgotten early. */
const mostKeys = 100_000;

interface First<Answer> {
  readonly request: string;
  readonly answer: Promise<Answer>;
  readonly expiresAt: number;
}

/**
 * Does once what is asked for repeatedly under one key of an app, and answers the repeats what the first was answered,
 * for 24 hours (api § Idempotency-Key). In memory: for one process.
 */
@Injectable()
export class RepeatedTriggers {
  private readonly apps = new Map<string, Map<string, First<unknown>>>();

  /**
   * A repeat that comes while the first is under way waits for it. What failed is not remembered.
   * @throws ChannelsApiError 422 when the key stands for another request
   */
  async once<Answer>(app: App, key: string, request: unknown, work: () => Promise<Answer>): Promise<Answer> {
    const print = hash('sha256', jsonText(request) ?? '');
    const keys = this.keysOf(app.id);
    // A key belongs to requests of one kind: what it stands for has the same print.
    const first = keys.get(key) as First<Answer> | undefined;
    if (first) {
      if (first.request !== print) throw differentRequest();
      return first.answer;
    }
    const answer = work();
    const remembered = { request: print, answer, expiresAt: Date.now() + keepMs };
    keys.set(key, remembered);
    try {
      return await answer;
    } catch (error) {
      if (keys.get(key) === remembered) keys.delete(key);
      throw error;
    }
  }

  /** Those that are still good. They stand in the order in which they came. */
  private keysOf(appId: string): Map<string, First<unknown>> {
    let keys = this.apps.get(appId);
    if (!keys) this.apps.set(appId, (keys = new Map()));
    const now = Date.now();
    for (const [key, { expiresAt }] of keys) {
      if (expiresAt > now && keys.size < mostKeys) break;
      keys.delete(key);
    }
    return keys;
  }
}
