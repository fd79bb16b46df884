import { describe, expect, it } from 'vitest';
import { type IdempotencyKeys, type KeyedRequest, type KeyState, MemoryIdempotencyKeys } from 'rookery/channels';
import { describeIdempotencyKeys } from '@rookery/testing';
import { brokenPromises } from './broken-promises.js';

describe('MemoryIdempotencyKeys', () => {
  describeIdempotencyKeys(() => new MemoryIdempotencyKeys());
});

class MixesApps extends MemoryIdempotencyKeys {
  override claim(request: KeyedRequest): KeyState {
    return super.claim({ ...request, appId: 'same', key: `${request.appId} ${request.key}` });
  }
}
class ForgetsRequests extends MemoryIdempotencyKeys {
  override claim(request: KeyedRequest): KeyState {
    return super.claim({ ...request, print: 'same' });
  }
}
class ClaimsForAll extends MemoryIdempotencyKeys {
  override claim(request: KeyedRequest): KeyState {
    const found = super.claim(request);
    return found.state === 'under way' ? { state: 'claimed' } : found;
  }
}
class NeverReleases extends MemoryIdempotencyKeys {
  override release(): void {}
}
class IgnoresTheClaim extends MemoryIdempotencyKeys {
  private readonly holders = new Map<string, KeyedRequest>();
  override claim(request: KeyedRequest): KeyState {
    const found = super.claim(request);
    if (found.state === 'claimed') this.holders.set(request.key, request);
    return found;
  }
  override release({ key }: KeyedRequest): void {
    super.release(this.holders.get(key)!);
  }
}
class NeverAnswersLate extends MemoryIdempotencyKeys {
  private readonly released = new Set<string>();
  override release(request: KeyedRequest): void {
    this.released.add(request.claimId);
    super.release(request);
  }
  override answer(request: KeyedRequest, answer: string): void {
    if (!this.released.has(request.claimId)) super.answer(request, answer);
  }
}
class KeepsForItsOwnTime extends MemoryIdempotencyKeys {
  override claim({ keepMs: _, ...request }: KeyedRequest): KeyState {
    return super.claim(request);
  }
}
/** As a look-up would that is not in one step with what follows it. */
class ChecksBeforeTheClaim implements Pick<IdempotencyKeys, 'claim'> {
  private readonly known = new Set<string>();
  async claim({ key }: KeyedRequest): Promise<KeyState> {
    const isKnown = this.known.has(key);
    await Promise.resolve();
    this.known.add(key);
    return { state: isKnown ? 'under way' : 'claimed' };
  }
  answer(): void {}
  release(): void {}
}

describe('the contract of IdempotencyKeys rejects an implementation that', () => {
  it.each([
    [MixesApps, 'isolates keys by app and name'],
    [ForgetsRequests, 'recognizes a different request with the same key, before and after the answer'],
    [ClaimsForAll, 'gives a key to one caller, and tells the others that it is in progress, later its answer'],
    [NeverReleases, 'gives a released key to the next caller, even for a different request'],
    [IgnoresTheClaim, 'changes nothing for a claim that has expired'],
    [NeverAnswersLate, 'keeps the answer of an expired claim if the key is free'],
    [KeepsForItsOwnTime, 'holds a claim, and remembers an answer, for as long as the request says'],
    [ChecksBeforeTheClaim, 'gives a key to only one of many concurrent callers'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describeIdempotencyKeys, () => new Broken())).toContain(promise);
  });
});
