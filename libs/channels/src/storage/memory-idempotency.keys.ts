import { Injectable } from '@nestjs/common';
import { FairMap } from '#common';
import { answerMs, claimMs, IdempotencyKeys, type KeyedRequest, type KeyState } from './idempotency.keys.js';

/** How many keys of an app are remembered. */
const maxKeys = 100_000;
/** Approximately, of all apps. */
const maxBytes = 128 * 1024 * 1024;
/** What a key takes without its text and its answer. */
const keyBytes = 300;

interface Known {
  readonly print: string;
  readonly claimId: string;
  /** Absent while the request is in progress. */
  readonly answer?: string;
  readonly expiresAt: number;
}

/** In memory: for one process. When it is full, the app with the most forgets its oldest. */
@Injectable()
export class MemoryIdempotencyKeys extends IdempotencyKeys {
  /** By app and key, the latest last. */
  private readonly keys: FairMap<Known>;

  /** @param most bytes of all keys and answers */
  constructor(most = maxBytes) {
    super();
    this.keys = new FairMap(most, isOver);
  }

  claim({ appId, key, print, claimId, keepMs = claimMs }: KeyedRequest): KeyState {
    const known = this.keys.get(appId, key);
    if (!known || isOver(known)) {
      this.keys.delete(appId, key);
      this.forgetOldest(appId);
      this.set(appId, key, { print, claimId, expiresAt: performance.now() + keepMs });
      return { state: 'claimed' };
    }
    if (known.print !== print) return { state: 'different' };
    if (known.answer !== undefined) return { state: 'answered', answer: known.answer };
    return { state: known.claimId === claimId ? 'claimed' : 'under way' };
  }

  answer(request: KeyedRequest, answer: string): void {
    if (!this.isOf(request)) return;
    const { appId, key, print, claimId, keepMs = answerMs } = request;
    this.set(appId, key, { print, claimId, answer, expiresAt: performance.now() + keepMs });
  }

  release(request: KeyedRequest): void {
    if (this.isOf(request)) this.keys.delete(request.appId, request.key);
  }

  private isOf({ appId, key, claimId }: KeyedRequest): boolean {
    const known = this.keys.get(appId, key);
    return !known || known.claimId === claimId;
  }

  private set(appId: string, key: string, known: Known): void {
    this.keys.set(appId, key, known, keyBytes + 2 * (key.length + (known.answer?.length ?? 0)));
  }

  /** Makes room for one more. */
  private forgetOldest(appId: string): void {
    for (const [key, known] of this.keys.entries(appId)) {
      if (!isOver(known) && this.keys.count(appId) < maxKeys) return;
      this.keys.delete(appId, key);
    }
  }
}

const isOver = ({ expiresAt }: Known): boolean => expiresAt <= performance.now();
