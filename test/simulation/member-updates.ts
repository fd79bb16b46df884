import { app, channels, hasMembers } from './cluster-options.js';
import type { SharedInfos } from './model.js';
import type { Node } from './node.js';
import type { Store } from './store.js';

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

  constructor(private readonly store: Store) {}

  async make(node: Node, { channel, user, info }: MemberUpdate): Promise<void> {
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
    const { latest } = this.store.state.presence;
    for (const channel of channels.filter(hasMembers))
      for (const [user, is] of this.shown(channel)) {
        const should = latest.of(roomOf(channel), user);
        if (should !== undefined && is !== should)
          return `the store shows ${user} on ${channel} with ${is} instead of ${should}`;
      }
    return undefined;
  }

  private shown(channel: string): ReadonlyMap<string, string> {
    const { members } = this.store.state.presence.roster(roomOf(channel));
    return new Map(members.map(({ userId, userInfoJson = 'null' }) => [userId, userInfoJson]));
  }
}

const roomOf = (name: string) => ({ scope: app.id, name });
