import type { Connection } from './connection.js';
import { Slot } from './slot.js';

const callbacks = new Slot<() => void>();

/** Calls back when the connection closes, in place of an earlier callback: a connection waits for one thing at a time. */
export function onceClosed(connection: Connection, callback: () => void): void {
  if (connection.isClosed) callback();
  else callbacks.set(connection, callback);
}

/** Called once it is closed. */
export const callClosed = (connection: Connection): void => callbacks.of(connection)?.();
