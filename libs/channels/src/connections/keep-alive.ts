import { ProtocolError } from '../protocol/protocol-error.js';
import type { Connection } from './connection.js';

/** How long a closed connection may take to answer the close. */
const closingMs = 5000;

/** How often a client may be asked, in the time that it has to answer, to prove that it reads. */
const proofsAsked = 6;

export interface KeepAliveLimits {
  readonly activityTimeoutSeconds: number;
  readonly pongTimeoutSeconds: number;
  readonly limits: { readonly readProofMs: number };
}

/**
 * One timer for all connections: pings silent ones, closes those that do not answer or do not read, and destroys those
 * that do not end.
 */
export class KeepAlive {
  private readonly readProofMs: number;
  private readonly roundMs: number;
  /** Every so many rounds, a client is asked to prove that it reads. */
  private readonly proofRounds: number;
  private rounds = 0;
  private readonly pingAfter: number;
  private readonly closeAfter: number;
  private readonly timer: NodeJS.Timeout;
  private readonly closing = new Map<Connection, number>();

  /** @param closeUnread called for a connection whose client does not prove that it reads */
  constructor(
    private readonly connections: ReadonlySet<Connection>,
    { activityTimeoutSeconds, pongTimeoutSeconds, limits }: KeepAliveLimits,
    private readonly closeUnread: (connection: Connection) => void,
  ) {
    this.readProofMs = limits.readProofMs;
    const shortest = Math.min(activityTimeoutSeconds, pongTimeoutSeconds) * 1000;
    this.roundMs = Math.min(Math.max(shortest / 4, 50), 1000);
    this.proofRounds = Math.max(1, Math.round(limits.readProofMs / proofsAsked / this.roundMs));
    this.pingAfter = Math.ceil((activityTimeoutSeconds * 1000) / this.roundMs);
    this.closeAfter = this.pingAfter + Math.ceil((pongTimeoutSeconds * 1000) / this.roundMs);
    this.timer = setInterval(() => this.round(), this.roundMs).unref();
  }

  /** Remembers a closed connection, to destroy it if it does not end by itself. */
  closed(connection: Connection): void {
    this.closing.set(connection, performance.now() + closingMs);
  }

  stop(): void {
    clearInterval(this.timer);
    for (const connection of this.closing.keys()) connection.destroy();
    this.closing.clear();
  }

  private round(): void {
    const now = performance.now();
    this.rounds += 1;
    for (const connection of this.connections) this.look(connection, now);
    for (const [connection, until] of this.closing) {
      if (now > until) connection.destroy();
      if (connection.isDestroyed) this.closing.delete(connection);
    }
  }

  private look(connection: Connection, now: number): void {
    connection.heartbeats = 0;
    const round = ++connection.idleRounds;
    if (round === this.pingAfter) connection.ping();
    else if (round >= this.closeAfter) return connection.close(ProtocolError.noPong());
    if (this.isAskedNow(connection)) connection.askForProof();
    if (connection.hasProvenNothingFor(this.readProofMs, now)) return this.closeUnread(connection);
    const { authorizationTimeoutSeconds } = connection.app;
    if (authorizationTimeoutSeconds === null || connection.isAuthorized) return;
    if (now - connection.openedAt > authorizationTimeoutSeconds * 1000)
      connection.close(ProtocolError.notAuthorizedInTime());
  }

  /**
   * Seldom, for a question and its answer cost as much as the events of many triggers, and not all clients at once: the
   * fractions of the times at which they came spread them over the rounds.
   */
  private isAskedNow({ openedAt }: Connection): boolean {
    return Math.floor(openedAt * 1000) % this.proofRounds === this.rounds % this.proofRounds;
  }
}
