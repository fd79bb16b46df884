import type { EventEmitter } from 'node:events';

/** The next query on the connection reports the error. */
const ignored = (): void => undefined;

/**
 * Options of pg's pool. It listens to the errors of each new connection: TypeORM does so only some moments after the pool
 * has handed one over, and a server that ends it in between would end this process.
 */
export const heedsConnectionErrors = {
  verify(connection: EventEmitter, done: () => void): void {
    connection.on('error', ignored);
    done();
  },
};
