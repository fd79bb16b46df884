import type { Roster } from './messages.mjs';

/** A member of a presence channel. */
export interface SharedMember {
  readonly id: string;
  readonly info: unknown;
}

/** The members of a presence channel, as in pusher-js. */
export class SharedMembers {
  members: Record<string, unknown> = {};
  myID: string | null = null;

  get count(): number {
    return Object.keys(this.members).length;
  }

  get me(): SharedMember | null {
    return this.myID === null ? null : this.get(this.myID);
  }

  get(id: string): SharedMember | null {
    return Object.hasOwn(this.members, id) ? { id, info: this.members[id] } : null;
  }

  each(callback: (member: SharedMember) => unknown): void {
    for (const [id, info] of Object.entries(this.members)) callback({ id, info });
  }

  /** For internal use, like the methods below. */
  reset(roster?: Roster): void {
    this.members = { ...roster?.members };
    this.myID = roster?.myID ?? null;
  }

  heard(event: string, { id, info }: SharedMember): void {
    if (event === 'pusher:member_added') this.members[id] = info;
    else delete this.members[id];
  }
}
