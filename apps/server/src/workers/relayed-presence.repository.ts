import {
  type Holder,
  type Joined,
  type Left,
  type Member,
  type Presence,
  type PresenceChange,
  PresenceRepository,
  type Room,
  type Roster,
} from 'rookery/presence';
import { asLimit } from './as-limit.js';
import type { Far, Link } from './link.js';

/** The presence ledger of a machine's workers, kept by the process that started them. */
export class RelayedPresenceRepository extends PresenceRepository {
  private readonly far: Far<PresenceRepository>;

  constructor(link: Link) {
    super();
    this.far = link.far('presence');
  }

  join(room: Room, holder: Holder, member: Member, limit: number): Promise<Joined> {
    return this.far.join(room, holder, member, asLimit(limit));
  }

  leave(room: Room, holder: Holder): Promise<Left | undefined> {
    return this.far.leave(room, holder);
  }

  announce(nodeId: string, held: readonly Presence[]): Promise<readonly PresenceChange[]> {
    return this.far.announce(nodeId, held);
  }

  takeOut(nodeId: string, heirId: string): Promise<readonly PresenceChange[]> {
    return this.far.takeOut(nodeId, heirId);
  }

  roster(room: Room): Promise<Roster> {
    return this.far.roster(room);
  }

  memberCounts(scope: string, names: readonly string[]): Promise<readonly number[]> {
    return this.far.memberCounts(scope, names);
  }

  confirmAbsent(room: Room, userId: string, version: number): Promise<boolean> {
    return this.far.confirmAbsent(room, userId, version);
  }
}
