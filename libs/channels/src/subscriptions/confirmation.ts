import { Injectable } from '@nestjs/common';
import { historyOf } from '../app/history-rule.js';
import type { Position, RememberedEvent } from '../broker/broker.js';
import { ChannelsSettings } from '../channels.options.js';
import type { Connection } from '../connections/connection.js';
import { Hub } from '../hub/hub.js';
import * as frames from '../protocol/frames.js';
import { pieceOf } from '../protocol/stream-piece.js';
import { rosterText } from './members.js';
import { Replay, type Replayed } from './replay.js';
import type { Confirmed, Entered } from './subscription-state.js';

/** The third step of a subscription: the client learns that it is on the channel, and gets what it lacks. */
@Injectable()
export class Confirmation {
  constructor(
    private readonly hub: Hub,
    private readonly replay: Replay,
    private readonly settings: ChannelsSettings,
  ) {}

  /** Sends, in this order: the confirmation, what was missed, what streams have said, the cached event. */
  async sendTo(connection: Connection, entered: Entered): Promise<Confirmed> {
    const { subscription, missed, roster, streams } = entered;
    const { name, access } = subscription.channel;
    connection.subscriptions ??= new Map();
    connection.subscriptions.set(name, subscription);
    if (access === 'private' || access === 'presence') connection.isAuthorized = true;
    connection.send(
      roster ? frames.presenceSucceeded(name, rosterText(roster.members)) : frames.subscriptionSucceeded(name),
    );
    const replayed = missed && (await this.replay.send(connection, name, missed, streams && isStreamed));
    const said = streams?.catchUp();
    if (said) await this.replay.sendAll(connection, said.texts);
    const cached = this.sendCached(connection, entered, replayed);
    return { ...entered, replayedTo: replayed?.to, streamedTo: said?.to, cached };
  }

  private sendCached(
    connection: Connection,
    { subscription, remembered, streams, missed }: Entered,
    replayed: Replayed | undefined,
  ): Confirmed['cached'] {
    const { name, isCache } = subscription.channel;
    if (!isCache || (streams && remembered && isStreamed(remembered.text))) return undefined;
    if (hasLatest(remembered, replayed, missed?.hasGap ? undefined : missed?.since)) return undefined;
    if (!remembered) {
      connection.send(frames.cacheMiss(name));
      return 'none';
    }
    // An event that came since the subscription began is among the held messages.
    if (this.hub.isPending(connection, name, remembered.position)) return undefined;
    const isKept = historyOf(connection.app, name, this.settings.limits) !== undefined;
    connection.send(isKept ? frames.placed(remembered.text, remembered.position) : remembered.text);
    return remembered;
  }
}

const isStreamed = (text: string): boolean => pieceOf(text) !== undefined;

/** Whether a returning client has the latest event of a cache channel, judging by its position and the replay. */
function hasLatest(
  remembered: RememberedEvent | undefined,
  replayed: Replayed | undefined,
  missedSince: Position | undefined,
): boolean {
  if (!replayed || missedSince === undefined) return false;
  return remembered ? remembered.position <= (replayed.last ?? missedSince) : replayed.last !== undefined;
}
