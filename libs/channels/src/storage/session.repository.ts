import type { Awaitable, Found } from 'rookery/common';
import type { PositionChange, SavedSession, SessionName } from '../access/saved-session.js';

/** What is new of a session; what is not named stays. */
export interface SessionChanges {
  readonly positions: readonly PositionChange[];
  readonly userId?: string;
}

/**
 * What clients have got, so that their next connection gets the rest, on whatever process. It belongs where the
 * Broker keeps the history.
 *
 * - `open` makes a connection the session's only one, and answers in the same step what was saved of it until then, or
 *   nothing (`undefined` or `null`) when nothing was, or it is forgotten. It may be called twice.
 * - `save` adds to it, when the connection is still the session's own; else it changes nothing and answers `taken`.
 *   `forgotten`: nothing is known of the session, and nothing was saved.
 * - What was not opened or saved for `seconds` is forgotten.
 */
export abstract class SessionRepository {
  abstract open(session: SessionName, socketId: string, seconds: number): Awaitable<Found<SavedSession>>;
  abstract save(
    session: SessionName,
    socketId: string,
    changes: SessionChanges,
    seconds: number,
  ): Awaitable<'saved' | 'taken' | 'forgotten'>;
}
