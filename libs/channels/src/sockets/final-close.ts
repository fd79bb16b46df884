import type { HttpPort } from '#http';
import type { Connection } from '../connections/connection.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { waitFor } from './wait-for.js';

/** How long requests in progress may delay the close once the port is closed. */
const requestsMs = 10_000;

/** How long clients have to answer the close. */
const answerMs = 500;

/**
 * Closes the clients of a process that no other process replaces, as its last act. pusher-js waits 15 seconds or more after
 * a refused connection, and at most one second after any close. So clients are closed with 4100, "reconnect in a second",
 * when everything else is done: the next process then has that second to open its port.
 */
export class FinalClose {
  /** Settles when all clients are gone. */
  readonly done: Promise<void>;
  private readonly sent: Promise<void>;
  private isDue = false;
  private held = 0;

  /** @param connections detached ones */
  constructor(
    private readonly ports: readonly HttpPort[],
    private readonly connections: readonly Connection[],
  ) {
    this.sent = this.close();
    this.done = this.sent.then(() => this.destroy());
  }

  /** Holds a client that connects now until it can be closed with the others. */
  async hold(): Promise<ProtocolError> {
    this.held += 1;
    await this.sent;
    this.held -= 1;
    return ProtocolError.restarting();
  }

  /** No longer waits for the port to be closed. */
  now(): Promise<void> {
    this.isDue = true;
    return this.done;
  }

  private async close(): Promise<void> {
    await waitFor(() => this.isDue || !this.ports.some(({ server }) => server.listening));
    await waitFor(() => this.areRequestsDone, requestsMs);
    for (const connection of this.connections) connection.closeDetached(ProtocolError.restarting());
  }

  private async destroy(): Promise<void> {
    await waitFor(() => this.connections.every(({ isDestroyed }) => isDestroyed), answerMs);
    for (const connection of this.connections) connection.destroy();
    this.closeIdle();
  }

  /** Whether every open socket belongs to a client that waits for this close. */
  private get areRequestsDone(): boolean {
    this.closeIdle();
    const open = this.ports.reduce((sum, { open }) => sum + open, 0);
    return this.connections.reduce((others, { sockets }) => others - sockets, open - this.held) <= 0;
  }

  /** An idle socket that is kept alive would keep the server open. */
  private closeIdle(): void {
    for (const { server } of this.ports) if (this.isDue || !server.listening) server.closeIdleConnections();
  }
}
