import { Injectable } from '@nestjs/common';
import { ConcurrencyLimiter } from '#common';
import { Broker, type Position } from '../../broker/broker.js';
import type { Connection } from '../../connections/connection.js';
import { sessions } from '../../connections/session.js';
import * as frames from '../../protocol/frames.js';
import type { EarlierEvent } from '../../subscriptions/subscription-part.js';
import { RepeatedReplays } from './repeated-replays.js';
import { SessionPings } from './session-pings.js';
import type { Missed } from './sessions.service.js';

/** The part of a channel's history that a connection received. */
export interface Replayed {
  /** The connection has everything up to here. */
  readonly to: Position;
  /** The last event that it received. */
  readonly last: Position | undefined;
}

const pageEvents = 100;
/** A broker whose pages need no waiting would otherwise hold up the process until all is sent. */
const pagesPerTurn = 4;

/** Writes the events that a client missed. */
@Injectable()
export class Replay {
  /** Of all replays together; apps share them. */
  private readonly turns = new ConcurrencyLimiter(pagesPerTurn);
  private readonly repeated = new RepeatedReplays();

  constructor(
    private readonly broker: Broker,
    private readonly pings: SessionPings,
  ) {}

  /**
   * Everything in the channel's history after a position, and a gap where the history begins later, or may have had one
   * before. A client that acknowledges nothing is not sent the same events again and again: it gets a gap instead.
   * @param isCovered whether the client is sent an event in another way
   */
  async *missedTexts(
    connection: Connection,
    channel: string,
    { since, hasGap }: Missed,
    isCovered: (event: EarlierEvent) => boolean,
  ): AsyncGenerator<string, Replayed, void> {
    const { app } = connection;
    const session = sessions.of(connection);
    let replayed: Replayed = { to: since, last: undefined };
    if (hasGap) yield frames.gap(channel);
    if (session && this.repeated.areTooMany(session.name, channel, since)) {
      if (!hasGap) yield frames.gap(channel);
      return this.skipped(connection, channel);
    }
    for (let isMore = true; isMore && !connection.isClosed;) {
      await this.turns.of(app.id).takeTurn();
      const page = await this.broker.history(app.id, channel, pageEvents, replayed.to);
      if (session && page.events.length > 0 && replayed.to === since) this.repeated.add(session.name, channel, since);
      if (!page.isComplete) yield frames.gap(channel);
      for (const event of page.events)
        if (!session?.isExcluded(event.except) && !isCovered(event)) yield frames.replayed(event.text, event.position);
      isMore = page.events.length === pageEvents;
      const last = page.events.at(-1)?.position ?? replayed.last;
      replayed = { to: isMore ? last! : page.now, last };
      this.sent(connection, channel, replayed.to);
    }
    return replayed;
  }

  /** The client continues with the events that are published from now on. */
  private async skipped(connection: Connection, channel: string): Promise<Replayed> {
    const { now } = await this.broker.history(connection.app.id, channel, 0);
    this.sent(connection, channel, now);
    return { to: now, last: undefined };
  }

  private sent(connection: Connection, channel: string, to: Position): void {
    sessions.of(connection)?.wasSent(channel, to);
    this.pings.add(connection);
  }
}
