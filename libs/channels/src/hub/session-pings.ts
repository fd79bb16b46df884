import type { Connection } from '../connections/connection.js';

/** A channel that sent something to clients with a session. */
export interface SessionChannel {
  /** Records in the sessions what was sent, and answers their connections. */
  tellSessions(): Iterable<Connection>;
}

/** Asks clients with a session what they have received: one ping at intervals, for all that was sent since the last. */
export class SessionPings {
  private readonly channels = new Set<SessionChannel>();
  private readonly connections = new Set<Connection>();
  private isScheduled = false;

  constructor(private readonly everyMs: number) {}

  channelSent(channel: SessionChannel): void {
    this.channels.add(channel);
    this.schedule();
  }

  connectionSent(connection: Connection): void {
    this.connections.add(connection);
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setTimeout(() => this.ping(), this.everyMs).unref();
  }

  private ping(): void {
    this.isScheduled = false;
    for (const channel of this.channels)
      for (const connection of channel.tellSessions()) this.connections.add(connection);
    // A connection with too many unanswered pings is pinged after its next answer.
    for (const connection of this.connections)
      if (connection.session?.isPingDue && !connection.owesAnswers) connection.pingText();
    this.channels.clear();
    this.connections.clear();
  }
}
