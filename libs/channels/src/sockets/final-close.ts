import type { HttpPort } from '#http';
import type { Connection } from '../connections/connection.js';
import { ProtocolError } from '../protocol/protocol-error.js';
import { waitFor } from './wait-for.js';

/** How long requests in progress may delay the close once the port is closed. */
const requestsMs = 5000;

/** How long clients have to answer the close. */
const answerMs = 500;

/**
 * Closes the clients of a process that no other process replaces, as its last act: clients get each event that was
 * accepted. Once the port is closed and requests in progress are finished, nothing more is taken, and clients leave their
 * channels. pusher-js waits 15 seconds or more after a refused connection, and at most one second after any close. So
 * clients are closed with 4100, "reconnect in a second", when everything else is done: the next process then has that
 * second to open its port.
 */
export class FinalClose {
  /** Settles when all clients are gone. */
  readonly done: Promise<void>;
  private readonly sent: Promise<void>;
  private isDue = false;
  private held = 0;

  constructor(
    private readonly ports: readonly HttpPort[],
    /** The open connections, now. */
    private readonly connections: ReadonlySet<Connection>,
    /** Takes no more events, and then the clients off their channels. Answers their connections, which are detached. */
    private readonly takeOff: () => Promise<readonly Connection[]>,
  ) {
    const closed = this.close();
    this.sent = closed.then(() => undefined);
    this.done = closed.then((connections) => this.destroy(connections));
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

  private async close(): Promise<readonly Connection[]> {
    await waitFor(() => this.isDue || !this.ports.some(({ server }) => server.listening));
    await waitFor(() => this.areRequestsDone, requestsMs);
    const connections = await this.takeOff();
    for (const connection of connections) connection.closeDetached(ProtocolError.restarting());
    return connections;
  }

  private async destroy(connections: readonly Connection[]): Promise<void> {
    await waitFor(() => connections.every(({ isDestroyed }) => isDestroyed), answerMs);
    for (const connection of connections) connection.destroy();
    this.closeIdle();
  }

  /** Whether every open socket belongs to a client that waits for this close. */
  private get areRequestsDone(): boolean {
    this.closeIdle();
    let others = this.ports.reduce((sum, { open }) => sum + open, -this.held);
    for (const { sockets } of this.connections) others -= sockets;
    return others <= 0;
  }

  /** An idle socket that is kept alive would keep the server open. */
  private closeIdle(): void {
    for (const { server } of this.ports) if (this.isDue || !server.listening) server.closeIdleConnections();
  }
}
