import type { Awaitable } from '../awaitable.js';

/**
 * The console's sessions, over all processes that share it. A name identifies a session but does not reveal its cookie,
 * so a copy of the store grants no access.
 *
 * - `begin` keeps a session for whole `seconds`; of one that there is, it sets the time anew.
 * - `end` ends it for all processes: once it has settled, none of them answers that it is open. It may be called twice,
 *   and for a session that there is not.
 * - `isOpen` answers whether it was begun, is not over by now, and was not ended.
 */
export abstract class SignIns {
  abstract begin(name: string, seconds: number): Awaitable<void>;
  abstract isOpen(name: string): Awaitable<boolean>;
  abstract end(name: string): Awaitable<void>;
}
