import type { Connection } from '../connections/connection.js';

/** A channel that has sent something to clients with a session. */
export interface SessionChannel {
  /** Tells the sessions what they were sent, and answers whose they are. */
  tellSessions(): Iterable<Connection>;
}

/** Asks clients with a session what they have got: one ping in a while, for all that was sent since the one before. */
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
    // A connection that owes too many answers is pinged after its next one.
    for (const connection of this.connections)
      if (connection.session?.isPingDue && !connection.owesAnswers) connection.pingText();
    this.channels.clear();
    this.connections.clear();
  }
}
