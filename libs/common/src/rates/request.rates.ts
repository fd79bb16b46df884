import type { Awaitable } from '../awaitable.js';

/** A limit on the requests counted under one name. */
export interface RequestLimit {
  /** For example `publishes of <instance id>`. */
  readonly name: string;
  readonly perSecond: number;
  /** The largest burst after a pause. */
  readonly atOnce: number;
  /** How many this one stands for, such as the events of a batch: all of them count, or none. @default 1 */
  readonly count?: number;
}

/** How many requests a limit takes: more than all of them count as all of them. */
export const countOf = ({ count = 1, atOnce }: RequestLimit): number => Math.min(count, atOnce);

/**
 * Limits how often requests may come, over all processes that share the store.
 *
 * `take` counts a request (or as many as its `count`, all or none) under each of its limits, in order, and answers 0, or
 * the whole seconds after which to retry. It stops at the first limit that is reached: a refused request costs nothing
 * there, and is not counted under the limits after it. `atOnce` requests may come in a burst; each is earned back after
 * its share of a second, up to `atOnce`. A count above `atOnce` counts as `atOnce`. Each limit is atomic, and each name is
 * counted separately.
 *
 * `giveBack` undoes one `take` that answered 0, for a request that turned out not to count. It never leaves more than
 * `atOnce`. The call may be lost: the request is then earned back like any other.
 */
export abstract class RequestRates {
  abstract take(limits: readonly RequestLimit[]): Awaitable<number>;
  abstract giveBack(limits: readonly RequestLimit[]): Awaitable<void>;
}
