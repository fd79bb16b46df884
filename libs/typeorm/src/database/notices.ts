import { randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';

/** What comes within this time is told in one notice, in milliseconds. */
const togetherMs = 10;

/** The wait before a lost connection is made again, in milliseconds. */
const againMs = 1000;

/** What is used of a client of pg. */
interface Client extends EventEmitter {
  connect(): Promise<unknown>;
  query(text: string): Promise<unknown>;
  end(): Promise<void>;
}

/** What is used of TypeORM's PostgresDriver: pg, and the pool with the options of its connections. */
interface Driver {
  readonly postgres: { readonly Client: new (options: object) => Client };
  readonly master: { readonly options: object };
}

/**
 * Tells other processes on the same PostgreSQL that there is something new, by LISTEN and NOTIFY. Notices may get lost, as
 * while a connection is away, and say nothing but their name: whoever must not miss anything looks for himself as well.
 */
export class Notices {
  private readonly sender = randomUUID();
  private readonly untold = new Set<string>();

  constructor(private readonly dataSource: DataSource) {}

  /** Returns at once; the notice follows in a moment. */
  tell(name: string): void {
    if (this.untold.has(name)) return;
    this.untold.add(name);
    // Polling makes up for a lost notice.
    this.send(name).catch(() => undefined);
  }

  /** Calls `heard` for the notices of others, on a connection beside the pool. Answers how to end that. */
  listen(name: string, heard: () => void): () => Promise<void> {
    // The data source is one of PostgreSQL.
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
      // What was told before.
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
    this.untold.delete(name);
    await this.dataSource.query('SELECT pg_notify($1, $2)', [name, this.sender]);
  }
}

/** Connects again and again, with a rest in between, until it is told to stop. */
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
