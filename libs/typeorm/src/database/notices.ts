import { randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { connected } from './connected.js';

/** News within this time shares one notice, in milliseconds. */
const togetherMs = 10;

/** The wait before reconnecting, in milliseconds. */
const againMs = 1000;

/** The part of a pg client that Rookery uses. */
interface Client extends EventEmitter {
  connect(): Promise<unknown>;
  query(text: string): Promise<unknown>;
  end(): Promise<void>;
}

/** The part of TypeORM's PostgresDriver that Rookery uses: pg, and the pool's connection options. */
interface Driver {
  readonly postgres: { readonly Client: new (options: object) => Client };
  readonly master: { readonly options: object };
}

/**
 * Notifies other processes on the same PostgreSQL, by LISTEN and NOTIFY. Notices can get lost, for example while a
 * connection is down, and carry only their name: receivers that must not miss anything also poll.
 */
export class Notices {
  private readonly sender = randomUUID();
  private readonly pending = new Set<string>();

  constructor(private readonly dataSource: DataSource) {}

  /** Returns at once; the notice follows a moment later. */
  notify(name: string): void {
    if (this.pending.has(name)) return;
    this.pending.add(name);
    // Polling makes up for a lost notice.
    this.send(name).catch(() => undefined);
  }

  /**
   * Calls `heard` for notices of other processes, on a connection outside the pool. Returns a function that stops this.
   */
  listen(name: string, heard: () => void): () => Promise<void> {
    // The data source is a PostgreSQL one.
    const { postgres, master } = this.dataSource.driver as unknown as Driver;
    const stopping = new AbortController();
    let client: Client | undefined;
    const connect = async (): Promise<void> => {
      client = new postgres.Client(master.options);
      const lost = new Promise<void>((resolve) => client?.once('end', resolve).on('error', () => resolve()));
      client.on('notification', ({ payload }: { readonly payload?: string }) => {
        if (payload !== this.sender) heard();
      });
      await client.connect();
      await client.query(`LISTEN ${name}`);
      // Catches up on notices sent before this connection.
      heard();
      await lost;
    };
    const connecting = keepUp(connect, () => client?.end(), stopping.signal);
    return async () => {
      stopping.abort();
      await client?.end().catch(() => undefined);
      await connecting;
    };
  }

  private async send(name: string): Promise<void> {
    await sleep(togetherMs);
    this.pending.delete(name);
    const { sender } = this;
    await connected(this.dataSource, (client) => client.query('SELECT pg_notify($1, $2)', [name, sender]));
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
