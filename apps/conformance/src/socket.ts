import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { Mismatch, Skipped } from './case.js';
import { Changes } from './changes.js';
import { described, matches, type Pattern } from './matching.js';

/** A frame of the server, parsed. */
export interface ServerMessage {
  readonly event: string;
  readonly channel?: string;
  readonly data?: unknown;
  readonly user_id?: unknown;
}

/** What a server sends by mistake may come by a timer or by another process. */
const lateMs = 300;
const maxSent = 600;

export interface SocketOptions {
  readonly onSent?: (frame: string) => void;
  /** Whether pings of RFC 6455 stay unanswered. */
  readonly isMute?: boolean;
}

/** A connection, with all frames that it has got and no case has taken yet. */
export class Socket {
  readonly frames: ServerMessage[] = [];
  /** All frames in their order, those that a case has taken, too. */
  private readonly arrived: ServerMessage[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;
  private readonly changes = new Changes();

  /** @param patienceMs how long anything that is to come may take. Nothing that comes is waited for so long */
  private constructor(
    private readonly socket: WebSocket,
    public patienceMs: number,
    private readonly onSent: (frame: string) => void,
  ) {
    socket.on('message', (text: Buffer, isBinary) => {
      const frame = isBinary ? { event: 'a binary frame' } : messageOf(String(text));
      this.frames.push(frame);
      this.arrived.push(frame);
      this.changes.happened();
    });
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: String(reason) };
      this.changes.happened();
    });
    socket.on('error', () => undefined);
  }

  static async open(
    url: string,
    protocols: readonly string[],
    patienceMs: number,
    { onSent = () => undefined, isMute = false }: SocketOptions = {},
  ): Promise<Socket> {
    const socket = new WebSocket(url, [...protocols], { handshakeTimeout: patienceMs, autoPong: !isMute });
    const opened = new Socket(socket, patienceMs, onSent);
    await Promise.race([once(socket, 'open'), once(socket, 'error').then(([error]) => Promise.reject(error as Error))]);
    return opened;
  }

  /** The subprotocol that the server has chosen. */
  get protocol(): string {
    return this.socket.protocol;
  }

  /** Sends a ping frame of RFC 6455, and calls back once its pong has come. */
  ping(answered: () => void): void {
    this.socket.once('pong', answered);
    this.socket.ping();
  }

  send(frame: unknown): void {
    const text = typeof frame === 'string' ? frame : JSON.stringify(frame);
    this.onSent(text.slice(0, maxSent));
    this.socket.send(text);
  }

  /** Sends one message as several frames of RFC 6455. */
  sendInPieces(frame: unknown, count: number): void {
    const text = JSON.stringify(frame);
    const size = Math.ceil(text.length / count);
    for (let at = 0; at < text.length; at += size)
      this.socket.send(text.slice(at, at + size), { fin: at + size >= text.length });
  }

  /** Takes the first frame of that event, and of the channel if one is named. @throws Mismatch if it does not come */
  async next(event: string, channel?: string): Promise<ServerMessage> {
    const isIt = (frame: ServerMessage): boolean =>
      frame.event === event && (channel === undefined || frame.channel === channel);
    await this.when(() => this.frames.some(isIt), `${event}${channel ? ` on ${channel}` : ''}`);
    return this.frames.splice(this.frames.findIndex(isIt), 1)[0]!;
  }

  /** That frame, which comes only if the app has something on. @throws Skipped if it does not come */
  async nextIfOn(event: string, setting: string): Promise<ServerMessage> {
    try {
      return await this.next(event);
    } catch (error) {
      throw error instanceof Mismatch ? new Skipped(`the app does not have ${setting} on`) : error;
    }
  }

  /** The next frame of that event must match. */
  async gets(event: string, pattern: Pattern, channel?: string): Promise<ServerMessage> {
    const frame = await this.next(event, channel);
    if (!matches(frame, pattern)) throw new Mismatch(event, described(pattern), described(frame));
    return frame;
  }

  /** Asks for an answer: whatever was sent to the connection before has come then. */
  async fence(): Promise<void> {
    this.socket.send('{"event":"pusher:ping","data":{}}');
    await this.next('pusher:pong');
  }

  /** What was sent to the connection has been read: it answers, or has closed. */
  async settles(): Promise<void> {
    await this.fence().catch((error: unknown) => {
      if (!this.closed) throw error;
    });
  }

  /** No frame of that event has come, and none comes a little later. */
  async getsNo(event: string, channel?: string): Promise<void> {
    for (const afterMs of [0, lateMs]) {
      await setTimeout(afterMs);
      await this.fence();
      const found = this.frames.find((frame) => frame.event === event && (!channel || frame.channel === channel));
      if (found) throw new Mismatch('a frame', `no ${event}`, described(found));
    }
  }

  /** The frames of these events have come, in this order. */
  cameInOrder(events: readonly string[], channel: string): void {
    const came = this.arrived.filter((frame) => frame.channel === channel && events.includes(frame.event));
    const names = came.map(({ event }) => event);
    if (names.join() !== events.join()) throw new Mismatch('the frames', events.join(', '), names.join(', '));
  }

  async closes(code: number): Promise<void> {
    await this.when(() => this.closed !== undefined, `the close with ${code}`);
    if (this.closed?.code !== code) throw new Mismatch('the close', String(code), described(this.closed));
  }

  close(): void {
    this.socket.close();
  }

  /** Breaks the connection, as a device that loses its network with a reset: no close frame is sent. */
  break(): void {
    this.socket.terminate();
  }

  private async when(isSo: () => boolean, what: string): Promise<void> {
    const end = performance.now() + this.patienceMs;
    while (!isSo()) {
      const left = end - performance.now();
      if (left <= 0 || this.closed) throw new Mismatch('a frame', what, this.story());
      await this.changes.next(left);
    }
  }

  private story(): string {
    const closed = this.closed ? [`closed with ${this.closed.code} ${this.closed.reason}`] : [];
    return [...this.frames.map(described), ...closed].join(', ') || 'nothing';
  }
}

function messageOf(text: string): ServerMessage {
  try {
    return JSON.parse(text) as ServerMessage;
  } catch {
    return { event: 'a frame without JSON', data: text };
  }
}
