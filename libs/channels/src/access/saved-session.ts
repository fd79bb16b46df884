import type { Position } from '../protocol/position.js';

/** Identifies one client over all its connections: an id that the client chose, and the key with which it connects. */
export interface SessionName {
  readonly appId: string;
  readonly key: string;
  readonly id: string;
}

/** The position up to which the client received a channel's events; null: it has left the channel. */
export type PositionChange = readonly [channel: string, position: Position | null];

/** What was saved of a returning client. */
export interface SavedSession {
  /** Its earlier socket ids, the latest first; at least the last three. */
  readonly socketIds: readonly string[];
  /** The signed-in user, or the member of presence channels. */
  readonly userId?: string;
  readonly positions: readonly (readonly [channel: string, position: Position])[];
  /** Set if nothing was found, but may have been lost: the store is younger than sessions can be. */
  readonly isLost?: boolean;
}
