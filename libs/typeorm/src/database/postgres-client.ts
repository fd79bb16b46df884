import type { EventEmitter } from 'node:events';
import type { DataSource } from 'typeorm';

/** The part of a pg client that Rookery uses. */
export interface PostgresClient extends EventEmitter {
  connect(): Promise<unknown>;
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly object[] }>;
  /** Closes the connection, at once if a statement runs. */
  end(): Promise<void>;
}

/** The part of TypeORM's PostgresDriver that Rookery uses: pg, and the pool's connection options. */
interface Driver {
  readonly postgres: { readonly Client: new (options: object) => PostgresClient };
  readonly master: { readonly options: { readonly listenUrl?: string } };
}

/** A connection outside of the pool. */
export function ownClient({ driver }: DataSource, options: object = {}): PostgresClient {
  // The data source is a PostgreSQL one.
  const { postgres, master } = driver as unknown as Driver;
  return new postgres.Client({ ...master.options, ...options });
}

/** The same for what belongs to a session, such as notifications: past a pooler, if the host names another URL. */
export function listeningClient(dataSource: DataSource, options: object = {}): PostgresClient {
  // As above.
  const { listenUrl } = (dataSource.driver as unknown as Driver).master.options;
  return ownClient(dataSource, { ...options, ...(listenUrl && { connectionString: listenUrl }) });
}
