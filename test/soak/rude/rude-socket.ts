import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { clientFrame, RawClient, upgradeRequest } from '../../support/raw-client.js';
import { testApp } from '../../support/test-app.js';

/** How a rude client connects. */
export interface Way {
  readonly port: number;
  /** The header as a proxy passes it on: the last address is that of the client. */
  readonly forwardedFor: string;
  readonly session?: string;
  readonly app?: { readonly key: string };
}

/** A raw client that parses and keeps as little as it can: its frames are to cost the server more than the client. */
export class RudeSocket extends RawClient {
  socketId = '';
  isOpen = true;
  private waiting:
    { text: string; readonly for: RegExp; readonly resolve: (found?: RegExpExecArray) => void } | undefined;

  private constructor(socket: Socket) {
    super(socket);
    socket.on('close', () => this.end());
  }

  /** @returns undefined if it is not let in */
  static async connect({ port, forwardedFor, session, app = testApp }: Way): Promise<RudeSocket | undefined> {
    const client = new RudeSocket(connect({ port, host: '127.0.0.1', noDelay: true }));
    const request = upgradeRequest(`${session ? `/session/${session}` : ''}/app/${app.key}?protocol=7`);
    client.write(request.replace('\r\n', `\r\nX-Forwarded-For: ${forwardedFor}\r\n`));
    const greeting = await client.hears(/socket_id\\":\\"([\d.]+)/);
    if (!greeting) return undefined;
    client.socketId = greeting[1]!;
    return client;
  }

  /** Waits for a text; undefined when it is closed instead. */
  hears(text: RegExp): Promise<RegExpExecArray | undefined> {
    if (!this.isOpen) return Promise.resolve(undefined);
    return new Promise((resolve) => (this.waiting = { text: '', for: text, resolve }));
  }

  /** Reads nothing from now on. */
  pause(): void {
    this.socket.pause();
  }

  end(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.socket.destroy();
    this.waiting?.resolve();
  }

  protected override take(bytes: Buffer): void {
    // The server waits for the client's half of the closing handshake: this one does not answer.
    if (bytes.includes('Over capacity')) return this.end();
    if (!this.waiting) return;
    this.waiting.text += bytes.toString('latin1');
    const found = this.waiting.for.exec(this.waiting.text);
    if (!found) return;
    this.waiting.resolve(found);
    this.waiting = undefined;
  }
}

const textFrame = (message: object): Buffer => clientFrame(1, JSON.stringify(message));

export const subscribeFrame = (channel: string): Buffer => textFrame({ event: 'pusher:subscribe', data: { channel } });

export function memberFrame(channel: string, socketId: string, userId: string, app = testApp): Buffer {
  const member = JSON.stringify({ user_id: userId });
  const digest = createHmac('sha256', app.secret).update(`${socketId}:${channel}:${member}`).digest('hex');
  const data = { channel, auth: `${app.key}:${digest}`, channel_data: member };
  return textFrame({ event: 'pusher:subscribe', data });
}

export const clientEventFrame = (channel: string, data: string): Buffer =>
  textFrame({ event: 'client-said', channel, data });

export const seenFrame = (channel: string, receipts: readonly string[]): Buffer =>
  textFrame({ event: 'rookery:seen', channel, data: { receipts } });

export const unsubscribeFrame = (channel: string): Buffer =>
  textFrame({ event: 'pusher:unsubscribe', data: { channel } });
