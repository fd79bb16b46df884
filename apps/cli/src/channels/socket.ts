import type { ChannelToken } from '@rookery/client/server';
import { WebSocket } from 'ws';
import { Fault, lineOf } from '../fault.js';
import type { ServedApp } from '../server/app-options.js';

/** A message from the server. */
export interface ServerMessage {
  readonly event: string;
  readonly channel?: string;
  /** JSON or any text, as triggered. */
  readonly data?: unknown;
  readonly user_id?: string;
}

/** The owner of a {@link Socket}. */
export interface SocketOwner {
  /** Called for everything after the greeting, except pings and pongs. */
  received(message: ServerMessage): void;
  /** The connection is over, unless it was closed from this side. */
  lost(code: number, reason: string): void;
}

/** How long a server may take for its greeting or its answer to a ping, in milliseconds. */
const patienceMs = 10_000;

/** A minimal client of the Channels protocol; the official clients are for applications. */
export class Socket {
  /** `<number>.<number>` */
  id = '';
  private activityMs = 120_000;
  private timer?: NodeJS.Timeout;
  private isGreeted = false;
  private isClosed = false;

  private constructor(
    private readonly socket: WebSocket,
    private readonly owner: SocketOwner,
  ) {}

  /** Connects, and waits for the greeting. @throws Fault that explains why none came */
  static connect(app: Pick<ServedApp, 'url' | 'key' | 'socketPath'>, owner: SocketOwner): Promise<Socket> {
    const address = `${app.url.replace(/^http/, 'ws')}${app.socketPath}/app/${app.key}`;
    const webSocket = new WebSocket(`${address}?protocol=7&client=rookery-cli`);
    const socket = new Socket(webSocket, owner);
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => reject(new Fault(`${app.url} sent no greeting on the socket: ${why}`));
      const late = setTimeout(() => {
        fail(`nothing came within ${patienceMs / 1000} seconds`);
        socket.close();
      }, patienceMs);
      let failure = '';
      webSocket.on('error', (error) => (failure = lineOf(error)));
      webSocket.on('message', (message: Buffer) => {
        if (!socket.take(JSON.parse(message.toString()) as ServerMessage)) return;
        clearTimeout(late);
        resolve(socket);
      });
      webSocket.on('close', (code, reason) => {
        clearTimeout(late);
        clearTimeout(socket.timer);
        if (!socket.isGreeted) fail(failure || `it was closed with ${code} ${String(reason)}`);
        else if (!socket.isClosed) owner.lost(code, String(reason));
      });
    });
  }

  /** Subscribes; `pusher_internal:subscription_succeeded` or an error answers. */
  subscribe(channel: string, token?: ChannelToken): void {
    this.send({ event: 'pusher:subscribe', data: { channel, auth: token?.auth, channel_data: token?.channel_data } });
  }

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.socket.close();
  }

  private send(message: ServerMessage): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** @returns whether the message is the greeting */
  private take(message: ServerMessage): boolean {
    this.expectMore();
    if (message.event === 'pusher:ping') this.send({ event: 'pusher:pong', data: {} });
    else if (message.event === 'pusher:connection_established') return this.greeted(message);
    // A refusal before the greeting is reported by the close that follows.
    else if (message.event !== 'pusher:pong' && this.isGreeted) this.owner.received(message);
    return false;
  }

  private greeted({ data }: ServerMessage): boolean {
    const greeting = JSON.parse(String(data)) as { readonly socket_id: string; readonly activity_timeout: number };
    this.id = greeting.socket_id;
    this.activityMs = greeting.activity_timeout * 1000;
    return (this.isGreeted = true);
  }

  /** Pings a server that has been silent for long. */
  private expectMore(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.send({ event: 'pusher:ping', data: {} });
      this.timer = setTimeout(() => {
        this.close();
        this.owner.lost(4201, 'the server does not answer');
      }, patienceMs);
    }, this.activityMs);
  }
}

/** Triggered data is text, which is mostly JSON. */
export function decoded(data: unknown): unknown {
  if (typeof data !== 'string') return data;
  try {
    return JSON.parse(data) as unknown;
  } catch {
    return data;
  }
}
