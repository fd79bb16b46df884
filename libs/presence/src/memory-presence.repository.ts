import { Injectable } from '@nestjs/common';
import { RememberedAnswers } from '#common';
import type { Member, RosterMember } from './member.js';
import {
  type Holder,
  type Joined,
  type Left,
  type Presence,
  type PresenceChange,
  PresenceRepository,
  type Room,
  type Roster,
} from './presence.repository.js';

interface Connection {
  readonly nodeId: string;
  readonly userId: string;
  readonly joined: Joined;
}

interface Absence {
  readonly room: Room;
  readonly member: Member;
  readonly version: number;
  /** The process that made it so, or its heir. */
  readonly nodeId: string;
}

/** For unconfirmed absences. Clients choose the names of channels, and the host those of users. */
const unconfirmedBytes = 32 * 1024 * 1024;

interface User {
  readonly member: Member;
  /** The same, as rosters show it. */
  readonly shown: RosterMember;
  /** The version of their coming. */
  readonly since: number;
  connections: number;
}

interface Ledger {
  readonly users: Map<string, User>;
  readonly connections: Map<string, Connection>;
  version: number;
}

/** In memory: for one process; state is lost on restart. Joining and leaving cost the same however many are present. */
@Injectable()
export class MemoryPresenceRepository extends PresenceRepository {
  private readonly scopes = new Map<string, Map<string, Ledger>>();
  private readonly left = new RememberedAnswers<Left>();
  /** Users that became absent, until the absence is confirmed. */
  private readonly unconfirmed = new RememberedAnswers<Absence>({
    maxBytes: unconfirmedBytes,
    charactersOf: ({ room, member }) => room.name.length + member.userId.length + (member.userInfoJson?.length ?? 0),
    forgotten: (absences) => {
      for (const { version } of absences) this.forgotten = Math.max(this.forgotten, version);
    },
  });
  /** The greatest version of the absences that were forgotten. */
  private forgotten = 0;
  /** Shared by all rooms, so that a room keeps counting upwards after it was empty. */
  protected version = 0;

  join(room: Room, holder: Holder, member: Member, limit: number): Joined {
    const ledger = this.ledger(room) ?? this.open(room);
    const known = ledger.connections.get(holder.connectionId);
    if (known) return known.joined;
    if (!ledger.users.has(member.userId) && ledger.users.size >= limit) {
      this.closeIfEmpty(room, ledger);
      return { outcome: 'full' };
    }
    return this.add(room, ledger, holder, member);
  }

  leave(room: Room, { nodeId, connectionId }: Holder): Left | undefined {
    const ledger = this.ledger(room);
    if (!ledger?.connections.has(connectionId)) return this.left.get(keyOf(room, connectionId));
    const left = this.remove(room, ledger, connectionId, nodeId).left;
    this.left.set(keyOf(room, connectionId), left);
    return left;
  }

  update(room: Room, member: Member): number | undefined {
    const ledger = this.ledger(room);
    const user = ledger?.users.get(member.userId);
    if (!ledger || !user) return undefined;
    ledger.version = ++this.version;
    ledger.users.set(member.userId, { ...user, member, shown: { ...member, since: ledger.version } });
    return ledger.version;
  }

  announce(nodeId: string, held: readonly Presence[]): readonly PresenceChange[] {
    const kept = new Set(held.map(({ room, connectionId }) => keyOf(room, connectionId)));
    const gone = this.takeOutIf(nodeId, nodeId, (room, connectionId) => !kept.has(keyOf(room, connectionId)));
    return [...gone, ...held.flatMap((presence) => this.putIn(nodeId, presence))];
  }

  takeOut(nodeId: string, heirId: string): readonly PresenceChange[] {
    return [...this.inherit(nodeId, heirId), ...this.takeOutIf(nodeId, heirId, () => true)];
  }

  roster(room: Room): Roster {
    const ledger = this.ledger(room);
    if (!ledger) return { members: [], version: this.version };
    return { members: Array.from(ledger.users.values(), ({ shown }) => shown), version: ledger.version };
  }

  memberCounts(scope: string, names: readonly string[]): readonly number[] {
    const rooms = this.scopes.get(scope);
    return names.map((name) => rooms?.get(name)?.users.size ?? 0);
  }

  holdsAbsence(room: Room, userId: string, version: number, nodeId: string): boolean {
    const absence = this.unconfirmed.get(keyOf(room, userId));
    if (!absence) return this.isForgotten(room, userId, version);
    return absence.version === version && absence.nodeId === nodeId;
  }

  confirmAbsent(room: Room, userId: string, version: number): boolean {
    const key = keyOf(room, userId);
    const absence = this.unconfirmed.get(key);
    if (!absence) return this.isForgotten(room, userId, version);
    if (absence.version === version) this.unconfirmed.delete(key);
    return absence.version === version;
  }

  private add(room: Room, ledger: Ledger, { nodeId, connectionId }: Holder, member: Member): Joined {
    const user = ledger.users.get(member.userId);
    const absence = keyOf(room, member.userId);
    const previous = user ? undefined : this.unconfirmed.get(absence)?.version;
    if (user) user.connections++;
    else {
      ledger.version = ++this.version;
      const { version: since } = ledger;
      ledger.users.set(member.userId, { member, shown: { ...member, since }, since, connections: 1 });
      this.unconfirmed.delete(absence);
    }
    const { version } = ledger;
    const joined = {
      outcome: 'joined',
      isFirst: !user,
      version,
      ...(previous === undefined ? {} : { previous, isReturn: true as const }),
    } as const;
    ledger.connections.set(connectionId, { nodeId, userId: member.userId, joined });
    return joined;
  }

  /** Called for a connection that is in the room, so its user is too. */
  private remove(room: Room, ledger: Ledger, connectionId: string, nodeId: string): { left: Left; member: Member } {
    const { userId } = ledger.connections.get(connectionId)!;
    ledger.connections.delete(connectionId);
    const user = ledger.users.get(userId)!;
    const { member, since } = user;
    const wasLast = --user.connections === 0;
    if (wasLast) {
      ledger.users.delete(userId);
      ledger.version = ++this.version;
      this.unconfirmed.set(keyOf(room, userId), { room, member, version: ledger.version, nodeId });
    }
    this.closeIfEmpty(room, ledger);
    const left = { userId, wasLast, version: ledger.version };
    return { left: wasLast ? { ...left, previous: since } : left, member };
  }

  private putIn(nodeId: string, { room, connectionId, member }: Presence): PresenceChange[] {
    const before = this.version;
    const joined = this.join(room, { nodeId, connectionId }, member, Infinity);
    if (this.version === before || joined.outcome === 'full') return [];
    const { version, previous, isReturn } = joined;
    const change = { room, member, isPresent: true, version, ...(previous === undefined ? {} : { previous }) };
    return [isReturn ? { ...change, isReturn } : change];
  }

  private inherit(nodeId: string, heirId: string): PresenceChange[] {
    const inherited = [...this.unconfirmed.entries()].filter(([, absence]) => absence.nodeId === nodeId);
    for (const [key, absence] of inherited) this.unconfirmed.set(key, { ...absence, nodeId: heirId });
    return inherited.map(([, { room, member, version }]) => ({ room, member, isPresent: false, version }));
  }

  protected takeOutIf(
    nodeId: string,
    heirId: string,
    isGone: (room: Room, connectionId: string) => boolean,
  ): PresenceChange[] {
    const changes: PresenceChange[] = [];
    for (const [scope, rooms] of this.scopes)
      for (const [name, ledger] of rooms)
        for (const [connectionId, connection] of ledger.connections) {
          const room = { scope, name };
          if (connection.nodeId !== nodeId || !isGone(room, connectionId)) continue;
          const { left, member } = this.remove(room, ledger, connectionId, heirId);
          const { wasLast, version, previous } = left;
          if (wasLast) changes.push({ room, member, isPresent: false, version, ...(previous && { previous }) });
        }
    return changes;
  }

  /** Whether the user is still absent, and the absence may be one of those that were forgotten. */
  private isForgotten(room: Room, userId: string, version: number): boolean {
    return version <= this.forgotten && !this.ledger(room)?.users.has(userId);
  }

  private ledger({ scope, name }: Room): Ledger | undefined {
    return this.scopes.get(scope)?.get(name);
  }

  private open({ scope, name }: Room): Ledger {
    const rooms = this.scopes.get(scope) ?? new Map<string, Ledger>();
    const ledger: Ledger = { users: new Map(), connections: new Map(), version: this.version };
    this.scopes.set(scope, rooms.set(name, ledger));
    return ledger;
  }

  private closeIfEmpty({ scope, name }: Room, ledger: Ledger): void {
    if (ledger.connections.size > 0) return;
    const rooms = this.scopes.get(scope);
    rooms?.delete(name);
    if (rooms?.size === 0) this.scopes.delete(scope);
  }
}

/** Unambiguous: two different scopes, rooms or connections never share a key. */
const keyOf = ({ scope, name }: Room, connectionId: string): string =>
  `${scope.length} ${scope} ${connectionId} ${name}`;
