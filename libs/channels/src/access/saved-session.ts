import type { Position } from '../protocol/position.js';

/** One client over all its connections: an id that it has chosen, under the key with which it connects. */
export interface SessionName {
  readonly appId: string;
  readonly key: string;
  readonly id: string;
}

/** Up to where the client has got a channel's events; null: it is not on the channel any more. */
export type PositionChange = readonly [channel: string, position: Position | null];

/** What is known of a client that has been here before. */
export interface SavedSession {
  /** The socket ids that it had, the latest first; at least the last three. */
  readonly socketIds: readonly string[];
  /** The signed-in user, or the member of presence channels. */
  readonly userId?: string;
  readonly positions: readonly (readonly [channel: string, position: Position])[];
}
