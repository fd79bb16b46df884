import type { Awaitable } from 'rookery/common';

/** A request under an `Idempotency-Key`. */
export interface KeyedRequest {
  readonly appId: string;
  readonly key: string;
  /** The same for the same request: 64 hexadecimal digits. */
  readonly print: string;
  /** Of this try alone. */
  readonly claimId: string;
}

/** What is known of a key. */
export type KeyState =
  /** Nothing, or of this very claim: the request is for the caller to do. */
  | { readonly state: 'claimed' }
  /** Another does it just now. */
  | { readonly state: 'under way' }
  /** It was done, and answered so. */
  | { readonly state: 'answered'; readonly answer: string }
  /** The key stands for another request. */
  | { readonly state: 'different' };

/** How long an unanswered claim holds: its owner died, or cannot answer. In milliseconds. */
export const claimMs = 60_000;
/** How long an answer is remembered, in milliseconds (api § Idempotency-Key). */
export const answerMs = 86_400_000;

/**
 * What requests under an `Idempotency-Key` were answered, over all processes that share it.
 *
 * Of those who `claim` a key at the same time, one does its request, and then says its `answer`, or gives the key free by
 * `release`. A claim may be repeated. Keys belong to an app; 100,000 of each are remembered, of which the oldest are
 * forgotten first. `answer` and `release` of a claim that holds no more change nothing where another has the key.
 */
export abstract class IdempotencyKeys {
  abstract claim(request: KeyedRequest): Awaitable<KeyState>;
  abstract answer(request: KeyedRequest, answer: string): Awaitable<void>;
  abstract release(request: KeyedRequest): Awaitable<void>;
}
