import { Injectable } from '@nestjs/common';
import { type Awaitable, ThisNode } from '#common';
import type { Member } from './member.js';
import {
  type Joined,
  type Left,
  type Presence,
  type PresenceChange,
  PresenceRepository,
  type Room,
  type Roster,
} from './presence.repository.js';
import { SharedReads } from './shared-reads.js';

/** The absence of a user that is announced after a delay, unless they have returned. */
export interface Absence {
  readonly version: number;
  /** Whether it is unconfirmed, and this process has to announce it. */
  readonly isHeld: () => Awaitable<boolean>;
  /** Confirms it; false if the user has returned, or to all but one caller. */
  readonly confirm: () => Awaitable<boolean>;
  /** Whether the user is present now. */
  readonly isBack: () => Promise<boolean>;
}

/** Tells which users are in which room: the presence ledger for the host's own code and the modules above. */
@Injectable()
export class PresenceService {
  private readonly rosters = new SharedReads<Roster>();
  private readonly lists: (() => readonly Presence[])[] = [];

  constructor(
    private readonly ledger: PresenceRepository,
    private readonly node: ThisNode,
  ) {}

  /**
   * Joins a connection of this process to a room as a user.
   * @param limit the most users in the room; without it, any number
   */
  join(room: Room, connectionId: string, member: Member, limit = Infinity): Awaitable<Joined> {
    return this.ledger.join(room, { nodeId: this.node.id, connectionId }, member, limit);
  }

  /**
   * @returns the user that left and whether this was their last connection; `undefined` if the connection was not in
   *   the room
   */
  leave(room: Room, connectionId: string): Awaitable<Left | undefined> {
    return this.ledger.leave(room, { nodeId: this.node.id, connectionId });
  }

  /**
   * Replaces what is known of a present user.
   * @returns the version of the first roster that shows it; `undefined` if the user is not in the room
   */
  update(room: Room, member: Member): Awaitable<number | undefined> {
    return this.ledger.update(room, member);
  }

  /**
   * Registers a function that lists what one feature of this process holds: those whom it has joined and who have not
   * left. It is called at each {@link announce}, which removes whatever no list contains. ChannelsModule registers its own.
   */
  holds(list: () => readonly Presence[]): void {
    this.lists.push(list);
  }

  /**
   * Announces everything this process {@link holds} again, for example after a pause during which others considered it
   * dead.
   */
  announce(): Awaitable<readonly PresenceChange[]> {
    return this.ledger.announce(
      this.node.id,
      this.lists.flatMap((list) => list()),
    );
  }

  /** The same for another process, whose entries are then to be {@link takeOut taken out}. */
  announceFor(nodeId: string, held: readonly Presence[]): Awaitable<readonly PresenceChange[]> {
    return this.ledger.announce(nodeId, held);
  }

  /** Removes everything that a dead process held. */
  takeOut(nodeId: string): Awaitable<readonly PresenceChange[]> {
    return this.ledger.takeOut(nodeId, this.node.id);
  }

  roster(room: Room): Awaitable<Roster> {
    return this.rosters.of(`${room.scope.length} ${room.scope} ${room.name}`, () => this.ledger.roster(room));
  }

  async members(room: Room): Promise<readonly Member[]> {
    return (await this.roster(room)).members.map(({ since: _since, ...member }) => member);
  }

  async memberCount({ scope, name }: Room): Promise<number> {
    const [count = 0] = await this.ledger.memberCounts(scope, [name]);
    return count;
  }

  /** @returns the number of users in each room, in the order of the names */
  memberCounts(scope: string, names: readonly string[]): Awaitable<readonly number[]> {
    return this.ledger.memberCounts(scope, names);
  }

  /** What the ledger knows of the absence of a user that began with this version, and was caused by this process. */
  absence(room: Room, userId: string, version: number): Absence {
    return {
      version,
      isHeld: () => this.ledger.holdsAbsence(room, userId, version, this.node.id),
      confirm: () => this.ledger.confirmAbsent(room, userId, version),
      isBack: async () => (await this.members(room)).some((member) => member.userId === userId),
    };
  }
}
