import type { EventEmitter } from 'node:events';

/** Ignored here because the next query on the connection reports the error. */
const ignored = (): void => undefined;

/**
 * Options of pg's pool that listen for errors on each new connection. TypeORM starts to listen only some time after the
 * pool has handed a connection over; if the server closes it in between, the error would crash this process.
 */
export const toleratesConnectionErrors = {
  verify(connection: EventEmitter, done: () => void): void {
    connection.on('error', ignored);
    done();
  },
};
