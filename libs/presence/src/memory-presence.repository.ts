import { Injectable } from '@nestjs/common';
import type { Member } from './member.js';
import { type Joined, type Left, PresenceRepository, type Room } from './presence.repository.js';

interface Ledger {
  readonly users: Map<string, { readonly member: Member; connections: number }>;
  readonly userOf: Map<string, string>;
}

/** In memory: for one process; state is lost on restart. Joining and leaving cost the same however many are present. */
@Injectable()
export class MemoryPresenceRepository extends PresenceRepository {
  private readonly scopes = new Map<string, Map<string, Ledger>>();

  join(room: Room, connectionId: string, member: Member, limit: number): Joined {
    const ledger = this.ledger(room) ?? this.open(room);
    if (ledger.userOf.has(connectionId)) return { outcome: 'joined', isFirst: false };
    const user = ledger.users.get(member.userId);
    if (!user && ledger.users.size >= limit) {
      this.closeIfEmpty(room, ledger);
      return { outcome: 'full' };
    }
    ledger.userOf.set(connectionId, member.userId);
    if (user) user.connections++;
    else ledger.users.set(member.userId, { member, connections: 1 });
    return { outcome: 'joined', isFirst: !user };
  }

  leave(room: Room, connectionId: string): Left | undefined {
    const ledger = this.ledger(room);
    const userId = ledger?.userOf.get(connectionId);
    if (!ledger || userId === undefined) return undefined;
    ledger.userOf.delete(connectionId);
    const user = ledger.users.get(userId);
    const wasLast = user !== undefined && --user.connections === 0;
    if (wasLast) ledger.users.delete(userId);
    this.closeIfEmpty(room, ledger);
    return { userId, wasLast };
  }

  members(room: Room): readonly Member[] {
    return [...(this.ledger(room)?.users.values() ?? [])].map(({ member }) => member);
  }

  memberCount(room: Room): number {
    return this.ledger(room)?.users.size ?? 0;
  }

  present(room: Room, userIds: readonly string[]): readonly string[] {
    const users = this.ledger(room)?.users;
    return users ? userIds.filter((id) => users.has(id)) : [];
  }

  private ledger({ scope, name }: Room): Ledger | undefined {
    return this.scopes.get(scope)?.get(name);
  }

  private open({ scope, name }: Room): Ledger {
    const rooms = this.scopes.get(scope) ?? new Map<string, Ledger>();
    const ledger: Ledger = { users: new Map(), userOf: new Map() };
    this.scopes.set(scope, rooms.set(name, ledger));
    return ledger;
  }

  private closeIfEmpty({ scope, name }: Room, ledger: Ledger): void {
    if (ledger.userOf.size > 0) return;
    const rooms = this.scopes.get(scope);
    rooms?.delete(name);
    if (rooms?.size === 0) this.scopes.delete(scope);
  }
}
