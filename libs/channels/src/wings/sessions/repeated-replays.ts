import { dropOldest } from '#common';
import type { SessionName } from '../../access/saved-session.js';
import type { Position } from '../../protocol/position.js';

/** How often the same events are replayed to a client that acknowledges none of them. */
const maxReplays = 5;
/** Of the latest replays. */
const maxRemembered = 10_000;

/** Counts the replays that follow each other from the same position: with an acknowledgement, the position changes. */
export class RepeatedReplays {
  private readonly latest = new Map<string, { readonly since: Position; readonly times: number }>();

  /** Whether the events after the position were replayed too often. */
  areTooMany(session: SessionName, channel: string, since: Position): boolean {
    return this.timesOf(keyOf(session, channel), since) >= maxReplays;
  }

  /** Events after the position are about to be replayed. */
  add(session: SessionName, channel: string, since: Position): void {
    const key = keyOf(session, channel);
    const times = this.timesOf(key, since) + 1;
    this.latest.delete(key);
    this.latest.set(key, { since, times });
    dropOldest(this.latest, maxRemembered);
  }

  private timesOf(key: string, since: Position): number {
    const latest = this.latest.get(key);
    return latest?.since === since ? latest.times : 0;
  }
}

const keyOf = ({ appId, key, id }: SessionName, channel: string): string => JSON.stringify([appId, key, id, channel]);
