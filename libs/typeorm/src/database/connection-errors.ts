import type { EventEmitter } from 'node:events';
import type { DataSource } from 'typeorm';

/** Whoever uses the connection is told by its next query. */
const ignored = (): void => undefined;

/**
 * Listens to the errors of a data source's PostgreSQL connections. TypeORM does so only some moments after the pool has
 * handed one over: a server that ends it in between would end this process.
 */
export function heedConnectionErrors(dataSource: DataSource): void {
  // TypeORM keeps the pool here.
  const { master: pool } = dataSource.driver as unknown as { readonly master: EventEmitter };
  pool.on('acquire', (connection: EventEmitter) => {
    if (!connection.listeners('error').includes(ignored)) connection.on('error', ignored);
  });
}
