import { Injectable } from '@nestjs/common';
import type { Awaitable } from 'rookery/common';
import type { Member } from './member.js';
import { type Joined, type Left, PresenceRepository, type Room } from './presence.repository.js';

/** Who is where: the presence ledger for the host's own code and for the modules above. */
@Injectable()
export class PresenceService {
  constructor(private readonly ledger: PresenceRepository) {}

  /**
   * Joins a connection to a room as a user.
   * @param limit how many users fit in the room; without it, any number
   */
  join(room: Room, connectionId: string, member: Member, limit = Infinity): Awaitable<Joined> {
    return this.ledger.join(room, connectionId, member, limit);
  }

  /** @returns who left and whether it was their last connection; `undefined` when the connection was not there */
  leave(room: Room, connectionId: string): Awaitable<Left | undefined> {
    return this.ledger.leave(room, connectionId);
  }

  members(room: Room): Awaitable<readonly Member[]> {
    return this.ledger.members(room);
  }

  memberCount(room: Room): Awaitable<number> {
    return this.ledger.memberCount(room);
  }

  /** @returns those of the users who are in the room */
  present(room: Room, userIds: readonly string[]): Awaitable<readonly string[]> {
    return this.ledger.present(room, userIds);
  }
}
