import { once } from 'node:events';
import { WebSocket } from 'ws';
import { testApp } from './channels-server.js';
import { until } from './until.js';
import { type Credentials, type Frame, WireClient } from './wire-client.js';

export type { Frame };

/** A {@link WireClient} over a WebSocket. */
export class SocketClient extends WireClient {
  private constructor(
    readonly socket: WebSocket,
    app: Credentials,
  ) {
    super(app);
    socket.on('message', (text: Buffer) => this.frames.push(JSON.parse(text.toString()) as Frame));
    socket.on('close', (code, reason) => (this.closed = { code, reason: reason.toString() }));
    socket.on('error', () => {});
  }

  /** Opens a socket without waiting for its first frame. */
  static async open(
    port: number,
    app: Credentials = testApp,
    query = '?protocol=7&client=js&version=8.6.0',
    path = '',
  ) {
    const client = new SocketClient(new WebSocket(`ws://127.0.0.1:${port}${path}/app/${app.key}${query}`), app);
    await once(client.socket, 'open');
    return client;
  }

  /** @param session of a client that comes back, if it is to be one */
  static async connect(port: number, app: Credentials = testApp, session?: string): Promise<SocketClient> {
    const client = await SocketClient.open(port, app, undefined, session && `/session/${session}`);
    return client.greeted();
  }

  /** Whether a connection is greeted rather than closed. */
  static async isLetIn(port: number): Promise<boolean> {
    const client = await SocketClient.open(port);
    await until(() => client.frames.length > 0 || client.closed !== undefined, 'the connection is greeted or closed');
    client.close();
    return client.frames[0]?.event === 'pusher:connection_established';
  }

  send(frame: unknown): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  close(): void {
    this.socket.close();
  }
}
