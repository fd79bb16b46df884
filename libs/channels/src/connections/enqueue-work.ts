import { Logger } from '@nestjs/common';
import { type Connection, PauseReason, type Work } from './connection.js';

const logger = new Logger('Channels');

/** How much work of one connection may wait before its client is no longer read, and when it is read again. */
const maxWaiting = 64;
const fewWaiting = maxWaiting / 2;

/** Does the work after all earlier work of the connection: immediately when there is none. */
export function enqueueWork(connection: Connection, work: Work): void {
  if (connection.isBusy) {
    if ((connection.waiting ??= []).push(work) === maxWaiting) connection.pauseReading(PauseReason.Messages);
    return;
  }
  const pending = work();
  if (pending) void doAll(connection, pending);
}

/**
 * A loop, because V8 follows a chain of promises to its end for the stack of each Error that is made on it: with as
 * many links as a client sends messages, each refusal would cost as much as all of them.
 */
async function doAll(connection: Connection, first: Promise<void>): Promise<void> {
  connection.isBusy = true;
  await settled(connection, () => first);
  for (let next = take(connection); next; next = take(connection)) await settled(connection, next);
  connection.isBusy = false;
}

function take(connection: Connection): Work | undefined {
  const { waiting } = connection;
  const next = waiting?.shift();
  if (waiting?.length === fewWaiting) connection.resumeReading(PauseReason.Messages);
  if (waiting?.length === 0) connection.waiting = undefined;
  return next;
}

async function settled({ socketId }: Connection, work: Work): Promise<void> {
  try {
    await work();
  } catch (error) {
    logger.error(`Connection ${socketId}: ${String(error)}`, error);
  }
}
