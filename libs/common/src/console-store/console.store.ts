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
 * What the console's processes share: who is signed in, and the past of its charts.
 *
 * - A session's name identifies it but does not reveal its cookie, so a copy of the store grants no access.
 *   `beginSession` opens one for whole `seconds`; for an existing one, it renews the time. `endSession` closes it for all
 *   processes: once it has settled, no process answers that it is open. It may be called twice, and for an unknown
 *   session. `hasSession` answers whether it was begun, has not expired and was not ended.
 * - `keepMinute` stores what a process measured in a minute; kept again, it is replaced, so it is never counted twice. It
 *   forgets what is {@link keptChartMinutes} older or more, of any process. `minutesSince` answers what all processes
 *   measured from a minute on, the oldest first.
 */
export abstract class ConsoleStore {
  abstract beginSession(name: string, seconds: number): Awaitable<void>;
  abstract hasSession(name: string): Awaitable<boolean>;
  abstract endSession(name: string): Awaitable<void>;
  abstract keepMinute(measured: ChartMinute): Awaitable<void>;
  abstract minutesSince(minute: number): Awaitable<readonly ChartMinute[]>;
}
