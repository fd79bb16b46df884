import { Injectable } from '@nestjs/common';
import type { Connection } from '../../connections/connection.js';
import { sessions } from '../../connections/session.js';
import type { JoinedPart, Joining, SubscriptionPart } from '../../subscriptions/subscription-part.js';
import { Replay, type Replayed } from './replay.js';
import { type Missed, SessionsService } from './sessions.service.js';

/** Sends what earlier connections of the client's session missed. */
@Injectable()
export class SessionsPart implements SubscriptionPart {
  constructor(
    private readonly sessions: SessionsService,
    private readonly replay: Replay,
  ) {}

  enter(joining: Joining): Promise<JoinedPart> | undefined {
    return sessions.of(joining.connection) && this.join(joining);
  }

  unsubscribed(connection: Connection, channel: string): void {
    this.sessions.leave(connection, channel);
  }

  private async join({ connection, subscription, undo }: Joining): Promise<JoinedPart> {
    const { name, userId = subscription.member?.userId } = subscription.channel;
    const sentTo = (): string | undefined => sessions.of(connection)?.sentTo(name);
    // What a returning client missed is kept for its next attempt.
    undo.push(() => (sentTo() === undefined ? undefined : this.sessions.leave(connection, name)));
    // After the messages are held: an event in between would come only with the next replay, after later events.
    const missed = await this.sessions.join(connection, name, userId);
    const alreadySent = (): { readonly replayed: string | undefined } => ({ replayed: sentTo() });
    if (!missed) return { alreadySent };
    let replayed: Replayed | undefined;
    const { replay } = this;
    return {
      async *texts(isCovered) {
        // Another part sends what stands for all of it.
        if (isCovered(undefined)) return;
        replayed = yield* replay.missedTexts(connection, name, missed, isCovered);
      },
      covers: (event) => replayed !== undefined && hasEvent(event?.position, replayed, missed),
      sent: () => ({ replayedTo: replayed?.to }),
      alreadySent,
    };
  }
}

/** Whether a returning client has an event, judging by its position and the replay; without one, whether it has any. */
function hasEvent(position: string | undefined, { last }: Replayed, { since, hasGap }: Missed): boolean {
  if (hasGap) return false;
  return position === undefined ? last !== undefined : position <= (last ?? since);
}
