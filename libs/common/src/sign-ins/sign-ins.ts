import type { Awaitable } from '../awaitable.js';

/**
 * The console's sessions, shared by all processes. A name identifies a session but does not reveal its cookie, so a
 * copy of the store grants no access.
 *
 * - `begin` opens a session for whole `seconds`; for an existing one, it renews the time.
 * - `end` closes it for all processes: once it has settled, no process answers that it is open. It may be called twice,
 *   and for an unknown session.
 * - `isOpen` answers whether the session was begun, has not expired and was not ended.
 */
export abstract class SignIns {
  abstract begin(name: string, seconds: number): Awaitable<void>;
  abstract isOpen(name: string): Awaitable<boolean>;
  abstract end(name: string): Awaitable<void>;
}
