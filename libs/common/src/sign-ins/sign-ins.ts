import type { Awaitable } from '../awaitable.js';

/**
 * Who is signed in to the console, over all processes that share it. A name stands for a session and says nothing about
 * its cookie, so a copy of what is stored opens nothing.
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
