import { Logger } from '@nestjs/common';
import type { Connection } from './connection.js';

const logger = new Logger('Channels');

/** How much work of one connection may wait before its socket is no longer read. */
const waitingLimit = 64;

/** Does the work after all earlier work of the connection: immediately when there is none. */
export function enqueueWork(connection: Connection, work: () => void | Promise<void>): void {
  if (!connection.work) {
    const pending = work();
    if (pending) follow(connection, pending);
    return;
  }
  if (++connection.waiting === waitingLimit) connection.pauseReading();
  const before = connection.work;
  follow(
    connection,
    before.then(() => {
      if (connection.waiting-- === waitingLimit) connection.resumeReading();
      return work();
    }),
  );
}

function follow(connection: Connection, pending: Promise<void>): void {
  const settled = pending
    .catch((error: unknown) => logger.error(`Connection ${connection.socketId}: ${String(error)}`, error))
    .then(() => {
      if (connection.work === settled) connection.work = undefined;
    });
  connection.work = settled;
}
