import type { Awaitable, Found } from '#common';
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
 * - `open` adds a connection to the session, and in the same step answers what was saved of the session, or nothing
 *   (`undefined` or `null`) when nothing was saved or it is forgotten. It may be called twice. A store that survives its
 *   processes, but is itself younger than `seconds`, answers `isLost` instead of nothing, until something is saved: it
 *   may replace one that knew the session, and the client is then told of a gap.
 * - `save` adds changes, and with the first of them the connection takes the session from all that were opened before it:
 *   their calls change nothing and answer `taken` from then on. A connection that was only opened, or saved no change,
 *   takes nothing: its client may have left it for another before it was opened. `forgotten`: the session is unknown,
 *   and nothing was saved.
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

/** Whether something was saved of a session, which may only have been opened. */
export const hasSaved = ({ positions, userId }: SavedSession): boolean => positions.length > 0 || userId !== undefined;

/** The connections of a session, as a store keeps them. */
export interface SessionConnections {
  /** The latest opened first. */
  readonly socketIds: readonly string[];
  /** The connection that has taken the session. */
  readonly holder?: string | undefined;
}

/** Whether a connection may save: no connection that was opened later has taken the session. */
export function maySave({ socketIds, holder = '' }: SessionConnections, socketId: string): boolean {
  if (socketId === holder) return true;
  const [own, taken] = [socketIds.indexOf(socketId), socketIds.indexOf(holder)];
  return own >= 0 && (taken < 0 || own < taken);
}
