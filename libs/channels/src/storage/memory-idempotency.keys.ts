import { Injectable } from '@nestjs/common';
import { answerMs, claimMs, IdempotencyKeys, type KeyedRequest, type KeyState } from './idempotency.keys.js';

/** How many keys of an app are remembered. */
const maxKeys = 100_000;

interface Known {
  readonly print: string;
  readonly claimId: string;
  /** Absent while the request is in progress. */
  readonly answer?: string;
  readonly expiresAt: number;
}

/** In memory: for one process. */
@Injectable()
export class MemoryIdempotencyKeys extends IdempotencyKeys {
  /** The keys of each app, the latest last. */
  private readonly apps = new Map<string, Map<string, Known>>();

  claim({ appId, key, print, claimId }: KeyedRequest): KeyState {
    const keys = this.keysOf(appId);
    const known = keys.get(key);
    if (!known || known.expiresAt <= performance.now()) {
      keys.delete(key);
      forgetOldest(keys);
      keys.set(key, { print, claimId, expiresAt: performance.now() + claimMs });
      return { state: 'claimed' };
    }
    if (known.print !== print) return { state: 'different' };
    if (known.answer !== undefined) return { state: 'answered', answer: known.answer };
    return { state: known.claimId === claimId ? 'claimed' : 'under way' };
  }

  answer(request: KeyedRequest, answer: string): void {
    if (!this.isOf(request)) return;
    const { appId, key, print, claimId } = request;
    const keys = this.keysOf(appId);
    keys.delete(key);
    keys.set(key, { print, claimId, answer, expiresAt: performance.now() + answerMs });
  }

  release(request: KeyedRequest): void {
    if (this.isOf(request)) this.keysOf(request.appId).delete(request.key);
  }

  private isOf({ appId, key, claimId }: KeyedRequest): boolean {
    const known = this.keysOf(appId).get(key);
    return !known || known.claimId === claimId;
  }

  private keysOf(appId: string): Map<string, Known> {
    let keys = this.apps.get(appId);
    if (!keys) this.apps.set(appId, (keys = new Map()));
    return keys;
  }
}

/** Makes room for one more. */
function forgetOldest(keys: Map<string, Known>): void {
  const now = performance.now();
  for (const [key, { expiresAt }] of keys) {
    if (expiresAt > now && keys.size < maxKeys) return;
    keys.delete(key);
  }
}
