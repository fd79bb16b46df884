import type { Awaitable } from 'rookery/common';
import type { Member } from './member.js';

/** A place where users are present: a channel of an app, for one. Rooms of different scopes never meet. */
export interface Room {
  readonly scope: string;
  readonly name: string;
}

export type Joined = { readonly outcome: 'joined'; readonly isFirst: boolean } | { readonly outcome: 'full' };
export type Left = { readonly userId: string; readonly wasLast: boolean };

/**
 * The ledger of who is present where. A user is present in a room while at least one connection is joined as them.
 *
 * - `join` is atomic: it answers `isFirst` for exactly one of the connections that make a user present, and `full`
 *   (changing nothing) when the user is not present yet and the room has `limit` users. Another connection of a present
 *   user always fits and leaves the user's info as it is. Joining twice with the same connection is `isFirst: false`.
 * - `leave` is atomic: it answers `wasLast` for exactly one of the connections whose leaving makes a user absent, and
 *   `undefined` when the connection is not in the room; it may be called twice.
 * - `members` answers each user once, in the order of joining; nobody is an empty array.
 * - `present` answers those of the named users who are in the room.
 */
export abstract class PresenceRepository {
  abstract join(room: Room, connectionId: string, member: Member, limit: number): Awaitable<Joined>;
  abstract leave(room: Room, connectionId: string): Awaitable<Left | undefined>;
  abstract members(room: Room): Awaitable<readonly Member[]>;
  abstract memberCount(room: Room): Awaitable<number>;
  abstract present(room: Room, userIds: readonly string[]): Awaitable<readonly string[]>;
}
