import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { TurnLimiter } from '#common';
import { Broker, type HistoryPage, type Position } from '../broker/broker.js';
import { ChannelsSettings } from '../channels.options.js';
import type { Connection } from '../connections/connection.js';
import { Hub } from '../hub/hub.js';
import * as frames from '../protocol/frames.js';
import { ProtocolError } from '../protocol/protocol-error.js';
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
const drainMs = 5;

/** Sends events that a client missed. */
@Injectable()
export class Replay {
  private readonly logger = new Logger('Channels');
  /** Of all replays together. */
  private readonly turns = new TurnLimiter(pagesPerTurn);

  constructor(
    private readonly broker: Broker,
    private readonly hub: Hub,
    private readonly settings: ChannelsSettings,
  ) {}

  /**
   * Sends everything in the channel's history after a position, as fast as the client reads, and tells the client when
   * the history begins later, or may have had a gap before. A connection that cannot be sent everything is closed, so
   * that the client reconnects: a partial replay would be an undetected gap.
   * @param leavesOut the events that the client is sent in another way
   */
  async send(
    connection: Connection,
    channel: string,
    { since, hasGap }: Missed,
    leavesOut?: LeftOut,
  ): Promise<Replayed> {
    let replayed: Replayed = { to: since, last: undefined };
    if (hasGap) connection.send(frames.gap(channel));
    try {
      for (let isMore = true; isMore && !connection.isClosed;) {
        await this.turns.next();
        const page = await this.broker.history(connection.app.id, channel, pageEvents, replayed.to);
        if (!page.isComplete) connection.send(frames.gap(channel));
        await this.sendPage(connection, page, leavesOut);
        isMore = page.events.length === pageEvents;
        const last = page.events.at(-1)?.position ?? replayed.last;
        replayed = { to: isMore ? last! : page.now, last };
        connection.session?.wasSent(channel, replayed.to);
        this.hub.pings.connectionSent(connection);
      }
    } catch (error) {
      this.logger.warn(
        `Connection ${connection.socketId} cannot be sent what it missed of ${channel}: ${String(error)}`,
      );
      connection.close(ProtocolError.overCapacity());
    }
    return replayed;
  }

  /** Sends texts as fast as the client reads. */
  async sendAll(connection: Connection, texts: Iterable<string>): Promise<void> {
    let characters = 0;
    for (const text of texts) {
      if (connection.isClosed) return;
      connection.send(text);
      characters += text.length;
      if (characters < this.settings.limits.queuedBytes / 4) continue;
      await this.drained(connection);
      characters = 0;
    }
  }

  private sendPage(connection: Connection, { events }: HistoryPage, leavesOut: LeftOut = () => false): Promise<void> {
    const due = events.filter(({ text, except }) => !connection.session?.isExcluded(except) && !leavesOut(text));
    return this.sendAll(
      connection,
      due.map(({ text, position }) => frames.replayed(text, position)),
    );
  }

  private async drained(connection: Connection): Promise<void> {
    do await delay(drainMs);
    while (!connection.isClosed && connection.waitingBytes > this.settings.limits.queuedBytes / 4);
  }
}
