import type { Member, Room } from 'rookery/presence';
import { app, channels, hasMembers } from './cluster-options.js';
import type { SharedInfos } from './model.js';
import type { ServingNode } from './node.js';

/** What updates a member: each has an info of its own. */
export interface MemberUpdate {
  readonly channel: string;
  readonly user: string;
  readonly info: string;
}

/** The updates of members, compared with what the store shows in the end. */
export class MemberUpdates implements SharedInfos {
  /** Those that were not answered: the node may have died before it announced what the store had accepted. */
  private readonly unanswered = new Set<string>();

  /**
   * @param members whom shared state has in a room
   * @param latest the info that a user should have, where that is known
   */
  constructor(
    private readonly members: (room: Room) => readonly Member[],
    private readonly latest: (room: Room, user: string) => string | undefined,
  ) {}

  async make(node: ServingNode, { channel, user, info }: MemberUpdate): Promise<void> {
    // Nodes of the release before may lack it.
    if (!('update' in node)) return;
    const text = JSON.stringify(info);
    this.unanswered.add(text);
    try {
      await node.update(channel, user, info);
      this.unanswered.delete(text);
    } catch {
      // The user is absent, or the store does not answer.
    }
  }

  of(channel: string, user: string): string | undefined {
    const info = this.shown(channel).get(user);
    return info === undefined || this.unanswered.has(info) ? undefined : info;
  }

  /** A member who is shown with another info than the last that the store accepted. */
  get wrong(): string | undefined {
    for (const channel of channels.filter(hasMembers))
      for (const [user, is] of this.shown(channel)) {
        const should = this.latest(roomOf(channel), user);
        if (should !== undefined && is !== should)
          return `the store shows ${user} on ${channel} with ${is} instead of ${should}`;
      }
    return undefined;
  }

  private shown(channel: string): ReadonlyMap<string, string> {
    return new Map(this.members(roomOf(channel)).map(({ userId, userInfoJson = 'null' }) => [userId, userInfoJson]));
  }
}

const roomOf = (name: string) => ({ scope: app.id, name });
