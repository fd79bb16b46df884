/** The parts of a pusher-js emitter in use. */
interface Emitter {
  bind(event: string, callback: () => void): unknown;
  bind_global(callback: (event: string, message: FrameMessage) => void): unknown;
}

/** A message of the transport: its text, or for fallbacks and errors something else. */
export interface FrameMessage {
  readonly data?: unknown;
}

/** The parts of pusher-js in use. */
export interface ConnectedClient {
  readonly connection: Pick<Emitter, 'bind'> & {
    readonly state: string;
    readonly connection: { readonly transport: Pick<Emitter, 'bind_global'> };
  };
}

/** Calls back with each message from the server, before pusher-js reads it. */
export function beforeFrames(client: ConnectedClient, callback: (message: FrameMessage) => void): void {
  // Global listeners of the transport run before those of pusher-js.
  const watch = (): void =>
    void client.connection.connection.transport.bind_global((event, message) => {
      if (event === 'message') callback(message);
    });
  client.connection.bind('connected', watch);
  if (client.connection.state === 'connected') watch();
}
