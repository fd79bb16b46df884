import type { Awaitable } from '#common';

/** A request with an `Idempotency-Key`. */
export interface KeyedRequest {
  readonly appId: string;
  readonly key: string;
  /** A fingerprint, equal for equal requests: 64 hexadecimal digits. */
  readonly print: string;
  /** Unique for each try. */
  readonly claimId: string;
  /** How long a claim holds, and an answer is remembered, in milliseconds. @default {@link claimMs}, {@link answerMs} */
  readonly keepMs?: number;
}

/** The state of a key. */
export type KeyState =
  /** The key was free, or held by this very claim: the caller performs the request. */
  | { readonly state: 'claimed' }
  /** Another caller is performing the request. */
  | { readonly state: 'under way' }
  /** The request was performed, with this answer. */
  | { readonly state: 'answered'; readonly answer: string }
  /** The key belongs to another request. */
  | { readonly state: 'different' };

/** How long an unanswered claim holds, in milliseconds: its owner may have died. */
export const claimMs = 60_000;
/** How long an answer is remembered, in milliseconds (api § Idempotency-Key). */
export const answerMs = 86_400_000;

/**
 * The answers to requests with an `Idempotency-Key`, shared by all processes.
 *
 * When several callers `claim` a key at the same time, one of them performs the request, and then stores its `answer`
 * or frees the key with `release`. A claim may be repeated. Keys belong to an app; 100,000 of each app are remembered,
 * and the oldest are forgotten first. `answer` and `release` with an expired claim change nothing when another claim
 * has the key.
 */
export abstract class IdempotencyKeys {
  /** Whether keys are kept when all processes end. Without it, a repeat after a restart may not be recognized. */
  readonly outlivesProcesses?: boolean;
  abstract claim(request: KeyedRequest): Awaitable<KeyState>;
  abstract answer(request: KeyedRequest, answer: string): Awaitable<void>;
  abstract release(request: KeyedRequest): Awaitable<void>;
}
