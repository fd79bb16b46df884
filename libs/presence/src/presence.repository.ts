import type { Awaitable } from '#common';
import type { Member, RosterMember } from './member.js';

/** A place where users are present: a channel of an app, for one. Rooms of different scopes never meet. */
export interface Room {
  /** ChannelsModule's rooms have the id of their app: rooms of your own need another scope. */
  readonly scope: string;
  readonly name: string;
}

/** A connection and the process that owns it. */
export interface Holder {
  readonly nodeId: string;
  readonly connectionId: string;
}

export type Joined =
  | {
      readonly outcome: 'joined';
      readonly isFirst: boolean;
      readonly version: number;
      /** If the user has returned: the version at which they had become absent. */
      readonly previous?: number;
      /** The user's earlier absence is not confirmed yet, so the process that delays its announcement will drop it. */
      readonly isReturn?: true;
    }
  | { readonly outcome: 'full' };

export interface Left {
  readonly userId: string;
  readonly wasLast: boolean;
  readonly version: number;
  /** If it was the last: the version at which the user became present, whatever updates followed. */
  readonly previous?: number;
}

/** The users in a room, in joining order. It shows all changes up to its version, and none with a greater one. */
export interface Roster {
  readonly members: readonly RosterMember[];
  readonly version: number;
}

/** One connection in a room, as announced by the process that owns it. */
export interface Presence {
  readonly room: Room;
  readonly connectionId: string;
  readonly member: Member;
}

/** A user who became present or absent. */
export interface PresenceChange {
  readonly room: Room;
  readonly member: Member;
  readonly isPresent: boolean;
  readonly version: number;
  /** The version at which the user became present or absent before, if it is known. */
  readonly previous?: number;
  /** As in {@link Joined}. */
  readonly isReturn?: true;
}

/**
 * The ledger of which users are present in which room. A user is present while at least one connection is joined as
 * them.
 *
 * - Each time a user becomes present or absent, the room gets a new version, greater than all earlier ones, even if it
 *   was empty in between. `join` and `leave` return it, and a roster states the version it shows, so that callers can
 *   order changes whose answers overtake each other. Storage that may lose its latest writes answers versions that are
 *   greater than the lost ones all the same, in rosters too.
 * - `join` is atomic: it answers `isFirst` to exactly one of the connections that make a user present, and `full`
 *   (changing nothing) when the user is not present yet and the room has `limit` users. Another connection of a present
 *   user always fits and leaves the user's info unchanged.
 * - `leave` is atomic: it answers `wasLast` to exactly one of the connections whose leaving makes a user absent, and
 *   `undefined` when the connection is not in the room.
 * - `update` is atomic: it replaces the info of a present user and answers the version of the first roster that shows it,
 *   a new one. It answers `undefined`, changing nothing, when the user is absent: the next to join brings an info.
 *   A user who is updated stays present since the same version. Of several updates, the one with the greatest version
 *   is shown; one that is repeated is another.
 * - `join` and `leave` may be repeated when an answer was lost: a connection that has joined gets the answer of its first `join`, and
 *   one that has left within the last minute the answer of its `leave`, unless many others have left since.
 * - `announce` states everything a process holds: entries beyond that are removed and missing ones added, regardless of
 *   room limits. `takeOut` removes everything a dead process held. Both answer the changes in version order; repeated,
 *   they answer nothing.
 * - An absence is held by the process that caused it until it is confirmed. `takeOut` also answers the unconfirmed
 *   absences of the dead process; `heirId` then holds all of them, and they are answered again if the heir dies too.
 * - `holdsAbsence` answers whether the user's absence of that version is unconfirmed and held by the process.
 * - `confirmAbsent` answers true to exactly one call, and only if the user has not returned since that version; after
 *   that, their next `join` is not a return. An unconfirmed absence may be forgotten after a minute, or earlier when many
 *   others follow; it is then answered as held and confirmed while the user is absent.
 * - `previous` may be missing; where it is not, it is exact. Changes are announced by several processes, and overtake each
 *   other: it tells which rosters showed a change that was never announced. A confirmed absence was announced before.
 * - `memberCounts` answers in the order of the names.
 */
export abstract class PresenceRepository {
  abstract join(room: Room, holder: Holder, member: Member, limit: number): Awaitable<Joined>;
  abstract leave(room: Room, holder: Holder): Awaitable<Left | undefined>;
  abstract update(room: Room, member: Member): Awaitable<number | undefined>;
  abstract announce(nodeId: string, held: readonly Presence[]): Awaitable<readonly PresenceChange[]>;
  abstract takeOut(nodeId: string, heirId: string): Awaitable<readonly PresenceChange[]>;
  abstract roster(room: Room): Awaitable<Roster>;
  abstract memberCounts(scope: string, names: readonly string[]): Awaitable<readonly number[]>;
  abstract holdsAbsence(room: Room, userId: string, version: number, nodeId: string): Awaitable<boolean>;
  abstract confirmAbsent(room: Room, userId: string, version: number): Awaitable<boolean>;
}
