import type { Member, Room } from 'rookery/presence';
import type { World } from '../../libs/testing/src/simulation/world.js';

/** Until so long after an update, some process may not know it: it may be paused, or stuck. */
const knownMs = 15_000;

interface Info {
  readonly json: string;
  readonly since: number;
}

/** The info that each present user should have: that of the last update, or the one that they came with. */
export class LatestInfos {
  private readonly infos = new Map<string, Info>();

  constructor(private readonly world: World) {}

  of(room: Room, userId: string): string | undefined {
    return this.infos.get(keyOf(room, userId))?.json;
  }

  set(room: Room, { userId, userInfoJson = 'null' }: Member): void {
    this.infos.set(keyOf(room, userId), { json: userInfoJson, since: this.world.now });
  }

  /** By another connection: its process holds the info that it brought, and may be the first to put the user back. */
  joinedBy(room: Room, userId: string): void {
    const info = this.infos.get(keyOf(room, userId));
    if (info) this.infos.set(keyOf(room, userId), { ...info, since: Infinity });
  }

  /** A process puts a member back, who has the info that they had. */
  putBack(room: Room, member: Member): void {
    const should = this.of(room, member.userId);
    if (should === undefined) return this.set(room, member);
    const { userId, userInfoJson = 'null' } = member;
    if (userInfoJson !== should)
      this.world.fail(`${userId} is put back on ${room.name} with ${userInfoJson} instead of ${should}`);
  }

  delete(room: Room, userId: string): void {
    this.infos.delete(keyOf(room, userId));
  }

  /** Those that a store which loses its memory gets again from the processes: all of them know these. */
  get settled(): LatestInfos {
    const settled = new LatestInfos(this.world);
    for (const [key, info] of this.infos) if (info.since < this.world.now - knownMs) settled.infos.set(key, info);
    return settled;
  }
}

const keyOf = ({ scope, name }: Room, userId: string): string => JSON.stringify([scope, name, userId]);
