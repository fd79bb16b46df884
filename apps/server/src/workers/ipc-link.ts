import { type Item, RpcLink, type RpcOptions } from './rpc-link.js';

/** Tells messages of a link from whatever else processes send each other. */
interface Batch {
  readonly rookery: unknown;
}

/** This process, or one that it has started. */
export interface Port {
  send?(message: object, sent: (error: Error | null) => void): boolean;
  on(event: 'message', received: (message: unknown) => void): unknown;
}

/** A link over the channel that Node opens between a process and those that it starts. */
export function rpcOverIpc(port: Port, options?: RpcOptions): RpcLink {
  // What cannot be sent is not sent since the other process is gone, and the link is closed then.
  const link = new RpcLink(
    (items) => port.send?.({ rookery: items satisfies readonly Item[] } satisfies Batch, () => {}),
    options,
  );
  port.on('message', (message) => isBatch(message) && link.take(message.rookery));
  return link;
}

const isBatch = (message: unknown): message is Batch =>
  typeof message === 'object' && message !== null && 'rookery' in message;
