import type { Awaitable } from '../awaitable.js';

/** What one process measured in a minute. */
export interface ChartMinute {
  /** Since 1970. */
  readonly minute: number;
  readonly node: string;
  /** JSON. */
  readonly figures: string;
}

/** How many minutes are kept: a day. */
export const keptChartMinutes = 24 * 60;

/**
 * The past of the console's charts, shared by all processes.
 *
 * - `keep` stores what a process measured in a minute; kept again, it is replaced, so it is never counted twice. It
 *   forgets what is {@link keptChartMinutes} older or more, of any process.
 * - `since` answers what all processes measured from a minute on, the oldest first.
 */
export abstract class ChartMinutes {
  abstract keep(measured: ChartMinute): Awaitable<void>;
  abstract since(minute: number): Awaitable<readonly ChartMinute[]>;
}
