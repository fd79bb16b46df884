import type { Awaitable } from 'rookery/common';
import type { Member } from './member.js';

/** A place where users are present: a channel of an app, for one. Rooms of different scopes never meet. */
export interface Room {
  readonly scope: string;
  readonly name: string;
}

/** A connection and the process that has it. */
export interface Holder {
  readonly nodeId: string;
  readonly connectionId: string;
}

export type Joined =
  | {
      readonly outcome: 'joined';
      readonly isFirst: boolean;
      readonly version: number;
      /** The user became absent before, and nobody has confirmed that: whoever holds that news back will not tell it. */
      readonly isReturn?: true;
    }
  | { readonly outcome: 'full' };

export interface Left {
  readonly userId: string;
  readonly wasLast: boolean;
  readonly version: number;
}

/** Who is in a room, in the order of joining, after the change of this version. */
export interface Roster {
  readonly members: readonly Member[];
  readonly version: number;
}

/** One connection in a room, as the process that has it announces it. */
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
  /** As in {@link Joined}. */
  readonly isReturn?: true;
}

/**
 * The ledger of who is present where. A user is present in a room while at least one connection is joined as them.
 *
 * - Each time a user becomes present or absent, the room gets a new version, greater than all that it has had, also when
 *   it was empty in between. `join` and `leave` answer it, and a roster says which it shows: so whoever tells of the
 *   changes can follow their order, though answers overtake each other.
 * - `join` is atomic: it answers `isFirst` to exactly one of the connections that make a user present, and `full`
 *   (changing nothing) when the user is not present yet and the room has `limit` users. Another connection of a present
 *   user always fits and leaves the user's info as it is.
 * - `leave` is atomic: it answers `wasLast` to exactly one of the connections whose leaving makes a user absent, and
 *   `undefined` when the connection is not in the room.
 * - Both may be repeated when an answer was lost: a connection that has joined gets the answer of its first `join`, and
 *   one that has left within the last minute the answer of its `leave`.
 * - `announce` says all that a process holds: what it held beyond that is taken out, what is missing is put in, whatever
 *   the limits of rooms. `takeOut` takes out all that a dead process held. Both answer what changed, in the order of the
 *   versions; repeated, they answer nothing.
 * - Who became absent is held by the process that made it so until it is confirmed. `takeOut` answers what the dead one
 *   held of that, too; all that it answers is held by `heirId` then, and answered again when that one is taken out.
 * - `confirmAbsent` answers true to exactly one call, and only while the user has not come back since that version; from
 *   then on their next `join` is no return. What nobody confirms may be forgotten after a minute.
 * - `memberCounts` answers in the order of the names.
 */
export abstract class PresenceRepository {
  abstract join(room: Room, holder: Holder, member: Member, limit: number): Awaitable<Joined>;
  abstract leave(room: Room, holder: Holder): Awaitable<Left | undefined>;
  abstract announce(nodeId: string, held: readonly Presence[]): Awaitable<readonly PresenceChange[]>;
  abstract takeOut(nodeId: string, heirId: string): Awaitable<readonly PresenceChange[]>;
  abstract roster(room: Room): Awaitable<Roster>;
  abstract memberCounts(scope: string, names: readonly string[]): Awaitable<readonly number[]>;
  abstract confirmAbsent(room: Room, userId: string, version: number): Awaitable<boolean>;
}
