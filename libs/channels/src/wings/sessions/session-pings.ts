import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ChannelsSettings } from '../../channels.options.js';
import type { Connection } from '../../connections/connection.js';
import { sessions } from '../../connections/session.js';
import type { ChannelObserver, SentChannel } from '../../hub/channel-observer.js';
import { Hub } from '../../hub/hub.js';
import type { Position } from '../../protocol/position.js';

/** Asks clients with a session what they have received: one ping at intervals, for all that was sent since the last. */
@Injectable()
export class SessionPings implements ChannelObserver, OnModuleInit {
  private readonly sent = new Map<SentChannel, Position>();
  private readonly connections = new Set<Connection>();
  private isScheduled = false;

  constructor(
    private readonly hub: Hub,
    private readonly settings: ChannelsSettings,
  ) {}

  onModuleInit(): void {
    this.hub.observe(this);
  }

  keptSent(channel: SentChannel, position: Position): void {
    this.sent.set(channel, position);
    this.schedule();
  }

  keptSentTo(connection: Connection, channel: string, position: Position): void {
    const session = sessions.of(connection);
    if (!session) return;
    session.wasSent(channel, position);
    this.add(connection);
  }

  /** Pings the connection with the others: something that its session records was sent to it. */
  add(connection: Connection): void {
    this.connections.add(connection);
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setTimeout(() => this.ping(), this.settings.sessions.pingMs).unref();
  }

  private ping(): void {
    this.isScheduled = false;
    for (const [channel, position] of this.sent)
      for (const connection of channel.released) {
        const session = sessions.of(connection);
        if (!session) continue;
        session.wasSent(channel.name, position);
        this.connections.add(connection);
      }
    // A connection with too many unanswered pings is pinged after its next answer.
    for (const connection of this.connections)
      if (sessions.of(connection)?.isPingDue && !connection.owesAnswers) connection.pingText();
    this.sent.clear();
    this.connections.clear();
  }
}
