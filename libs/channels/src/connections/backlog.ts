import type { Connection } from './connection.js';

const roundMs = 1000;

interface Slow {
  bytes: number;
  /** The time of the latest progress, or of the first look. */
  readonly since: number;
}

export interface BacklogLimits {
  /** How long a client may read nothing of what waits for it. */
  readonly queuedMs: number;
  /** How many bytes may wait for all clients together. */
  readonly processQueuedBytes: number;
}

/**
 * The connections with unread bytes. It closes a client that reads nothing for too long, however often it sends, and the
 * slowest clients when too much waits for all of them together. Its timer runs only while there are any.
 */
export class Backlog {
  /** Ordered by the latest progress. */
  private readonly slow = new Map<Connection, Slow>();
  /** As of the latest look at each connection. */
  private bytes = 0;
  private timer: NodeJS.Timeout | undefined;
  private isReliefDue = false;

  /** @param close called for a connection to be closed, with the limit that it has reached */
  constructor(
    private readonly limits: BacklogLimits,
    private readonly close: (connection: Connection, limit: keyof BacklogLimits) => void,
  ) {}

  /** Bytes were written to a client that has not read all that came before. */
  add(connection: Connection): void {
    this.look(connection, performance.now());
    this.timer ??= setInterval(() => this.round(), roundMs).unref();
    if (this.bytes <= this.limits.processQueuedBytes || this.isReliefDue) return;
    this.isReliefDue = true;
    // Not now: a broadcast may be under way.
    setImmediate(() => this.relieve());
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private round(): void {
    const now = performance.now();
    for (const [connection, { since }] of this.slow)
      if (!this.look(connection, now) && now - since >= this.limits.queuedMs) this.drop(connection, 'queuedMs');
    if (this.slow.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private relieve(): void {
    this.isReliefDue = false;
    const now = performance.now();
    for (const connection of this.slow.keys()) this.look(connection, now);
    for (const connection of this.slow.keys()) {
      if (this.bytes <= this.limits.processQueuedBytes) return;
      this.drop(connection, 'processQueuedBytes');
    }
  }

  /** @returns whether the client has read something since the last look */
  private look(connection: Connection, now: number): boolean {
    const known = this.slow.get(connection);
    const bytes = connection.isClosed ? 0 : connection.waitingBytes;
    this.bytes += bytes - (known?.bytes ?? 0);
    if (known && bytes >= known.bytes) {
      known.bytes = bytes;
      return false;
    }
    this.slow.delete(connection);
    if (bytes > 0) this.slow.set(connection, { bytes, since: now });
    return true;
  }

  private drop(connection: Connection, limit: keyof BacklogLimits): void {
    this.bytes -= this.slow.get(connection)?.bytes ?? 0;
    this.slow.delete(connection);
    this.close(connection, limit);
  }
}
