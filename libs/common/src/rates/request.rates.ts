import type { Awaitable } from '../awaitable.js';

/** How many requests may come that are counted under one name. */
export interface RequestLimit {
  /** Such as `publishes of <instance id>`. */
  readonly name: string;
  readonly perSecond: number;
  /** How many may come in one moment, after a pause. */
  readonly atOnce: number;
}

/**
 * How often requests may come, over all processes that share it.
 *
 * `take` counts one request under each of its limits, in their order, and answers 0, or the whole seconds after which to
 * come back: it ends at the first limit that is reached, where a request that is refused costs nothing, and counts nothing
 * for those behind it. `atOnce` requests may come in one moment; each is earned back after its part of a second, and never
 * more than these. Each limit is atomic, and names are counted apart.
 *
 * `giveBack` undoes one `take` that answered 0, for a request that turned out not to count. Under no limit it leaves more
 * than `atOnce`. It may be lost: the request is then earned back like any other.
 */
export abstract class RequestRates {
  abstract take(limits: readonly RequestLimit[]): Awaitable<number>;
  abstract giveBack(limits: readonly RequestLimit[]): Awaitable<void>;
}
