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
 *   processes, but may itself be younger than the session ({@link mayPredate}), answers `isLost` instead of nothing, until
 *   something is saved: it may replace one that knew the session, and the client then gets a gap.
 * - With `earlier`, it adds one that was opened before and is forgotten: in its place among the others, which is right
 *   before the first of the socket ids in `earlier`, those opened before it, or after all others if there are none of
 *   them.
 * - `save` adds changes, and with the first of them the connection takes the session from all that were opened before it:
 *   their calls change nothing and answer `taken` from then on. A connection that was only opened, or saved no change,
 *   takes nothing: its client may have left it for another before it was opened. `forgotten`: the session is unknown, or
 *   this connection of it, and nothing was saved.
 * - A session that was not opened or saved for `seconds` is forgotten. A store that is full forgets the sessions of the
 *   app with the most earlier, those saved longest ago first, and from then on answers `isLost` instead of nothing to
 *   clients of that app.
 * - The cost of `save` depends on the changes, not on the session.
 */
export abstract class SessionRepository {
  abstract open(
    session: SessionName,
    socketId: string,
    seconds: number,
    earlier?: readonly string[],
  ): Awaitable<Found<SavedSession>>;
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

/** What a connection's save comes to: it is `taken` if one that was opened later has taken the session. */
export function outcomeFor({ socketIds, holder = '' }: SessionConnections, socketId: string) {
  if (socketId === holder) return 'saved';
  const [own, taken] = [socketIds.indexOf(socketId), socketIds.indexOf(holder)];
  if (own < 0) return 'forgotten';
  return taken < 0 || own < taken ? 'saved' : 'taken';
}

const keptSocketIds = 8;

/** The latest connections of a session, with one more. @param earlier as in {@link SessionRepository} */
export function withConnection(
  socketIds: readonly string[],
  socketId: string,
  earlier?: readonly string[],
): readonly string[] {
  const next = earlier ? socketIds.findIndex((id) => earlier.includes(id)) : 0;
  const at = Math.min(next < 0 ? socketIds.length : next, keptSocketIds - 1);
  return socketIds.toSpliced(at, 0, socketId).slice(0, keptSocketIds);
}

/** The approximate bytes of a session without its positions. */
export const weightOfSession = ({ key, id }: SessionName): number => 512 + 2 * (key.length + id.length);

/** The approximate bytes of a position in a session. */
export const weightOfPosition = (channel: string): number => 128 + 2 * channel.length;
