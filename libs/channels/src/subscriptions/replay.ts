import { Injectable } from '@nestjs/common';
import { TurnLimiter } from '#common';
import { Broker, type Position } from '../broker/broker.js';
import type { Connection } from '../connections/connection.js';
import { Hub } from '../hub/hub.js';
import * as frames from '../protocol/frames.js';
import type { Missed } from './sessions.service.js';

/** The part of a channel's history that a connection received. */
export interface Replayed {
  /** The connection has everything up to here. */
  readonly to: Position;
  /** The last event that it received. */
  readonly last: Position | undefined;
}

/** Whether an event is left out. */
type LeftOut = (text: string) => boolean;

const pageEvents = 100;
/** A broker whose pages need no waiting would otherwise hold up the process until all is sent. */
const pagesPerTurn = 4;

/** Writes the events that a client missed. */
@Injectable()
export class Replay {
  /** Of all replays together. */
  private readonly turns = new TurnLimiter(pagesPerTurn);

  constructor(
    private readonly broker: Broker,
    private readonly hub: Hub,
  ) {}

  /**
   * Everything in the channel's history after a position, and the news that the history begins later, or may have had a
   * gap before.
   * @param leavesOut the events that the client is sent in another way
   */
  async *missedTexts(
    connection: Connection,
    channel: string,
    { since, hasGap }: Missed,
    leavesOut: LeftOut = () => false,
  ): AsyncGenerator<string, Replayed, void> {
    const { app, session } = connection;
    let replayed: Replayed = { to: since, last: undefined };
    if (hasGap) yield frames.gap(channel);
    for (let isMore = true; isMore && !connection.isClosed;) {
      await this.turns.next();
      const page = await this.broker.history(app.id, channel, pageEvents, replayed.to);
      if (!page.isComplete) yield frames.gap(channel);
      for (const { text, position, except } of page.events)
        if (!session?.isExcluded(except) && !leavesOut(text)) yield frames.replayed(text, position);
      isMore = page.events.length === pageEvents;
      const last = page.events.at(-1)?.position ?? replayed.last;
      replayed = { to: isMore ? last! : page.now, last };
      session?.wasSent(channel, replayed.to);
      this.hub.pings.connectionSent(connection);
    }
    return replayed;
  }
}
