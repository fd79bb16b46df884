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

/** What one process recorded of connections and events between two times, in epoch milliseconds. */
export interface TraceBlock {
  readonly node: string;
  readonly since: number;
  /** Greater than that of the process's block before. */
  readonly until: number;
  /** Whether something was recorded before it that no block has. */
  readonly hasGap: boolean;
  /** Any text. */
  readonly text: string;
}

/** How long blocks of traces are kept, in milliseconds: a day. */
export const keptTraceMs = 86_400_000;
/** How many characters of them, of all processes, about. */
export const keptTraceCharacters = 32 * 1024 * 1024;

/** How an endpoint of webhooks answered its last attempt. */
export interface KeptHealth {
  /** The app or the instance, as the console names it. */
  readonly owner: string;
  readonly url: string;
  /** The last attempt, in epoch milliseconds. */
  readonly at: number;
  /** Any text. */
  readonly text: string;
}

/** How many endpoints are kept: those that were tried last. */
export const keptHealths = 1000;

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
 * - A store that outlives processes may keep traces, for "Why?". `keepTrace` stores a block, and forgets blocks of any
 *   process that are {@link keptTraceMs} older, and the oldest beyond {@link keptTraceCharacters}, now or later.
 *   `traceBlocks` answers at most `limit` blocks of all processes in the order of their ends, the latest first; with
 *   `before`, those that follow this one.
 * - It may also keep how endpoints of webhooks answered. `keepHealth` replaces what it keeps of the endpoint, unless that
 *   is of a later attempt, and forgets endpoints beyond {@link keptHealths}, now or later. `healths` answers all, in any
 *   order.
 */
export abstract class ConsoleStore {
  abstract beginSession(name: string, seconds: number): Awaitable<void>;
  abstract hasSession(name: string): Awaitable<boolean>;
  abstract endSession(name: string): Awaitable<void>;
  abstract keepMinute(measured: ChartMinute): Awaitable<void>;
  abstract minutesSince(minute: number): Awaitable<readonly ChartMinute[]>;
  readonly keepsTraces: boolean = false;
  /** Not called unless it keeps traces. */
  async keepTrace(_block: TraceBlock): Promise<void> {}
  async traceBlocks(_before: TraceBlock | undefined, _limit: number): Promise<readonly TraceBlock[]> {
    return [];
  }
  readonly keepsHealths: boolean = false;
  /** Not called unless it keeps them. */
  async keepHealth(_health: KeptHealth): Promise<void> {}
  async healths(): Promise<readonly KeptHealth[]> {
    return [];
  }
}
