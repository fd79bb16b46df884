import type { Awaitable, Found } from 'rookery/common';
import type { PositionChange, SavedSession, SessionName } from '../access/saved-session.js';

/** Changes to a session; omitted fields stay as they are. */
export interface SessionChanges {
  readonly positions: readonly PositionChange[];
  readonly userId?: string;
}

/**
 * What clients have received, so that their next connection, on any process, gets the rest. Implement it in the same
 * store as the Broker's history.
 *
 * - `open` makes a connection the session's only one, and in the same step answers what was saved of the session, or
 *   nothing (`undefined` or `null`) when nothing was saved or it is forgotten. It may be called twice. A store that
 *   survives its processes, but is itself younger than `seconds`, answers `isLost` instead of nothing: it may replace
 *   one that knew the session, and the client is then told of a gap.
 * - `save` adds changes while the connection is still the session's current one; otherwise it changes nothing and
 * answers
 *   `taken`. `forgotten`: the session is unknown, and nothing was saved.
 * - A session that was not opened or saved for `seconds` is forgotten.
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
