import { Injectable } from '@nestjs/common';
import { historyOf } from '../app/history-rule.js';
import type { Position, RememberedEvent } from '../broker/broker.js';
import { ChannelsSettings } from '../channels.options.js';
import type { Connection } from '../connections/connection.js';
import { Hub } from '../hub/hub.js';
import { ActivityTap } from '../lifecycle/activity-tap.js';
import * as frames from '../protocol/frames.js';
import { pieceOf } from '../protocol/stream-piece.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';
import type { Entered } from './channel-entry.js';
import { rosterText } from './members.js';
import { Replay, type Replayed } from './replay.js';

/** The last step of a subscription: the client learns that it is on the channel, and gets what it lacks. */
@Injectable()
export class Confirmation {
  constructor(
    private readonly hub: Hub,
    private readonly replay: Replay,
    private readonly webhooks: WebhooksService,
    private readonly settings: ChannelsSettings,
    private readonly tap: ActivityTap,
  ) {}

  /** Sends, in this order: the confirmation, what was missed, what streams have said, the cached event, held messages. */
  async sendTo(connection: Connection, entered: Entered): Promise<void> {
    const { subscription, missed, streams } = entered;
    const { name, access } = subscription.channel;
    connection.subscriptions ??= new Map();
    connection.subscriptions.set(name, subscription);
    if (access === 'private' || access === 'presence') connection.isAuthorized = true;
    const { roster } = entered;
    connection.send(
      roster ? frames.presenceSucceeded(name, rosterText(roster.members)) : frames.subscriptionSucceeded(name),
    );
    const replayed = missed && (await this.replay.send(connection, name, missed, streams && isStreamed));
    const said = streams?.catchUp();
    if (said) await this.replay.sendAll(connection, said.texts);
    const cached = this.sendCached(connection, entered, replayed);
    this.observe(connection, entered, replayed?.to, cached);
    if (roster) this.hub.learn(connection.app.id, name, roster);
    // Without the messages that the roster, the replay or the cached event contained.
    this.hub.release(connection, name, {
      version: roster?.version,
      position: cached,
      replayed: connection.session?.sentTo(name),
      streamed: said?.to,
    });
  }

  /** @returns the position of the cached event that was sent, if any */
  private sendCached(
    connection: Connection,
    { subscription, remembered, streams, missed }: Entered,
    replayed: Replayed | undefined,
  ): Position | undefined {
    const { name, isCache } = subscription.channel;
    if (!isCache || (streams && remembered && isStreamed(remembered.text))) return undefined;
    if (hasLatest(remembered, replayed, missed?.hasGap ? undefined : missed?.since)) return undefined;
    if (!remembered) {
      connection.send(frames.cacheMiss(name));
      this.webhooks.emit(connection.app, { name: 'cache_miss', channel: name });
      return undefined;
    }
    // An event that came since the subscription began is among the held messages.
    if (this.hub.isPending(connection, name, remembered.position)) return undefined;
    const isKept = historyOf(connection.app, name, this.settings.limits) !== undefined;
    connection.send(isKept ? frames.placed(remembered.text, remembered.position) : remembered.text);
    return remembered.position;
  }

  private observe(
    { app, socketId, user }: Connection,
    { subscription: { channel, member } }: Entered,
    replayedTo: Position | undefined,
    remembered: Position | undefined,
  ): void {
    this.tap.observer?.happened({
      appId: app.id,
      kind: 'subscribed',
      channel: channel.name,
      socketId,
      userId: member?.userId ?? user?.id,
      replayedTo,
      remembered,
    });
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
