import type { ClientAccount } from './client-quotas.js';
import { type Connection, PauseReason } from './connection.js';

const roundMs = 1000;

interface Slow {
  bytes: number;
  /** The time of the latest progress, or of the first look. */
  readonly since: number;
}

/** Connections whose clients are of one network, or of none that is counted. */
interface Group {
  bytes: number;
  readonly connections: Connection[];
}

export interface BacklogLimits {
  /** How many bytes may wait for a client: it is not read while half of them wait. */
  readonly queuedBytes: number;
  /** How long a client may read nothing of what waits for it. */
  readonly queuedMs: number;
  /** How many bytes may wait for all clients together. */
  readonly processQueuedBytes: number;
}

/**
 * The connections with unread bytes. It closes a client that reads nothing for too long, however often it sends, and,
 * when too much waits for all of them together, the slowest clients of the network for which most waits. Its timer runs
 * only while there are any.
 */
export class Backlog {
  /** Ordered by the latest progress. */
  private readonly slow = new Map<Connection, Slow>();
  private timer: NodeJS.Timeout | undefined;
  private isReliefDue = false;

  /**
   * @param all what is held in this process, as of the latest look at each connection
   * @param close called for a connection to be closed, with the limit that it has reached
   */
  constructor(
    private readonly limits: BacklogLimits,
    private readonly all: ClientAccount,
    private readonly close: (connection: Connection, limit: keyof BacklogLimits) => void,
  ) {}

  /** Bytes were written to a client that has not read all that came before. */
  add(connection: Connection): void {
    this.look(connection, performance.now());
    this.timer ??= setInterval(() => this.round(), roundMs).unref();
    if (this.fits || this.isReliefDue) return;
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
    const groups = this.groups();
    while (!this.fits) {
      const largest = groups.reduce((one, other) => (other.bytes > one.bytes ? other : one));
      const connection = largest.connections.shift()!;
      largest.bytes -= this.slow.get(connection)!.bytes;
      this.drop(connection, 'processQueuedBytes');
    }
  }

  private get fits(): boolean {
    return this.all.excess('waitingBytes') === 0;
  }

  /** The connections with unread bytes by their network, in the order of their latest progress. */
  private groups(): Group[] {
    const groups = new Map<ClientAccount | undefined, Group>();
    for (const [connection, { bytes }] of this.slow) {
      const group = groups.get(connection.network) ?? { bytes: 0, connections: [] };
      groups.set(connection.network, group);
      group.bytes += bytes;
      group.connections.push(connection);
    }
    return [...groups.values()];
  }

  /** @returns whether the client has read something since the last look */
  private look(connection: Connection, now: number): boolean {
    const known = this.slow.get(connection);
    const bytes = connection.isClosed ? 0 : connection.waitingBytes;
    this.hold(connection, bytes - (known?.bytes ?? 0));
    this.pace(connection, bytes);
    if (known && bytes >= known.bytes) {
      known.bytes = bytes;
      return false;
    }
    this.slow.delete(connection);
    if (bytes > 0) this.slow.set(connection, { bytes, since: now });
    return true;
  }

  private drop(connection: Connection, limit: keyof BacklogLimits): void {
    this.hold(connection, -(this.slow.get(connection)?.bytes ?? 0));
    this.slow.delete(connection);
    this.close(connection, limit);
  }

  private hold({ network = this.all }: Connection, bytes: number): void {
    network.add('waitingBytes', bytes);
  }

  /** A client that does not read causes no more answers. */
  private pace(connection: Connection, bytes: number): void {
    const { queuedBytes } = this.limits;
    if (bytes > queuedBytes / 2) connection.pauseReading(PauseReason.Unread);
    else if (bytes < queuedBytes / 4) connection.resumeReading(PauseReason.Unread);
  }
}
