import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { listeningClient, type PostgresClient } from './postgres-client.js';
import type { PostgresConnections } from './postgres-connections.js';

/** News within this time shares one notice, in milliseconds. */
const togetherMs = 10;

/** The wait before reconnecting, in milliseconds. */
const againMs = 1000;

/** A notice of a process to itself, over the pool: if it arrives, those of others do. */
const proof = 'rookery_heard';

interface Notification {
  readonly channel: string;
  readonly payload?: string;
}

/**
 * Notifies other processes on the same PostgreSQL, by LISTEN and NOTIFY. Notices can get lost, for example while a
 * connection is down, and carry only their name: receivers that must not miss anything also poll.
 */
export class Notices {
  /** Marks the notices of this process, which it does not hear. */
  readonly sender = randomUUID();
  private readonly pending = new Set<string>();
  private readonly listeners = new Set<Listener>();
  /** The connection on which all of them listen, outside the pool. */
  private ear: Ear | undefined;

  constructor(
    private readonly dataSource: DataSource,
    private readonly connections: PostgresConnections,
  ) {}

  /** Returns at once; the notice follows a moment later. */
  notify(name: string): void {
    if (this.pending.has(name)) return;
    this.pending.add(name);
    // Polling makes up for a lost notice.
    this.send(name).catch(() => undefined);
  }

  /**
   * Calls `heard` once notices arrive, which they do not behind a pooler in transaction mode, and then for those of
   * other processes. Returns a function that stops this.
   */
  listen(name: string, heard: () => void): () => Promise<void> {
    const listener = { name, heard };
    this.listeners.add(listener);
    if (this.ear)
      this.ear.join(name).then(
        () => this.ear?.isProven && heard(),
        () => undefined,
      );
    this.ear ??= new Ear(this.dataSource, this.listeners, this.sender, () => this.tell(proof));
    return async () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return this.ear?.leave(name);
      const { ear } = this;
      this.ear = undefined;
      await ear?.stop();
    };
  }

  private async send(name: string): Promise<void> {
    await sleep(togetherMs);
    this.pending.delete(name);
    await this.tell(name);
  }

  private async tell(name: string): Promise<void> {
    const { sender } = this;
    await this.connections.use((client) => this.connections.rowsOf(client, 'SELECT pg_notify($1, $2)', [name, sender]));
  }
}

interface Listener {
  readonly name: string;
  readonly heard: () => void;
}

/** A connection that receives notices, and reconnects. */
class Ear {
  private readonly stopping = new AbortController();
  private readonly connecting: Promise<void>;
  private client: PostgresClient | undefined;
  private queries: Promise<void> = Promise.resolve();
  /** Whether notices arrive on this connection. */
  isProven = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly listeners: ReadonlySet<Listener>,
    private readonly sender: string,
    private readonly sendProof: () => Promise<void>,
  ) {
    this.connecting = keepUp(
      () => this.connect(),
      () => this.client?.end(),
      this.stopping.signal,
    );
  }

  /** Resolves when notices of this name arrive; while there is no connection, the next one will receive them. */
  async join(name: string): Promise<void> {
    await this.query(`LISTEN ${name}`);
  }

  /** Ends the notices of a name that no listener has any more. */
  async leave(name: string): Promise<void> {
    const others = [...this.listeners].some((listener) => listener.name === name);
    // On a lost connection there is nothing to end.
    if (!others) await this.query(`UNLISTEN ${name}`).catch(() => undefined);
  }

  /** One after the other. */
  private query(text: string): Promise<void> {
    const { client } = this;
    const before = this.queries.catch(() => undefined);
    this.queries = before.then(async () => void (await client?.query(text)));
    return this.queries;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.client?.end().catch(() => undefined);
    await this.connecting;
  }

  private async connect(): Promise<void> {
    // It sends nothing, so it would not notice that the server is gone.
    const client = listeningClient(this.dataSource, { keepAlive: true, keepAliveInitialDelayMillis: 10_000 });
    this.client = client;
    this.isProven = false;
    const lost = new Promise<void>((resolve) => client.once('end', resolve).on('error', () => resolve()));
    client.on('notification', ({ channel, payload }: Notification) => {
      if (payload === this.sender) {
        if (channel === proof) this.proven();
        return;
      }
      for (const { name, heard } of this.listeners) if (name === channel) heard();
    });
    // Ended meanwhile, it would never answer.
    await Promise.race([client.connect(), lost]);
    for (const name of new Set([proof, ...[...this.listeners].map((listener) => listener.name)])) await this.join(name);
    await this.sendProof();
    await lost;
  }

  /** Catches up on notices sent before this connection. */
  private proven(): void {
    this.isProven = true;
    for (const { heard } of this.listeners) heard();
  }
}

/** Reconnects after each loss, with a pause in between, until `signal` aborts. */
async function keepUp(
  connect: () => Promise<void>,
  end: () => Promise<void> | undefined,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await connect().catch(() => undefined);
    if (signal.aborted) return;
    await end()?.catch(() => undefined);
    await sleep(againMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
