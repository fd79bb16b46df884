import { once } from 'node:events';
import { WebSocket } from 'ws';
import { Mismatch, Skipped } from './case.js';
import { Changes } from './changes.js';
import { described, matches, type Pattern } from './matching.js';

export interface Frame {
  readonly event: string;
  readonly channel?: string;
  readonly data?: unknown;
  readonly user_id?: unknown;
}

/** A connection, with all frames that it has got and no case has taken yet. */
export class Socket {
  readonly frames: Frame[] = [];
  closed: { readonly code: number; readonly reason: string } | undefined;
  private readonly changes = new Changes();

  /** @param patienceMs how long anything that is to come may take. Nothing that comes is waited for so long */
  private constructor(
    private readonly socket: WebSocket,
    private readonly patienceMs: number,
  ) {
    socket.on('message', (text: Buffer, isBinary) => {
      this.frames.push(isBinary ? { event: 'a binary frame' } : frameOf(String(text)));
      this.changes.happened();
    });
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: String(reason) };
      this.changes.happened();
    });
    socket.on('error', () => undefined);
  }

  static async open(url: string, protocols: readonly string[], patienceMs: number): Promise<Socket> {
    const socket = new WebSocket(url, [...protocols], { handshakeTimeout: patienceMs });
    const opened = new Socket(socket, patienceMs);
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
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Takes the first frame of that event, and of the channel if one is named. @throws Mismatch if it does not come */
  async next(event: string, channel?: string): Promise<Frame> {
    const isIt = (frame: Frame): boolean =>
      frame.event === event && (channel === undefined || frame.channel === channel);
    await this.when(() => this.frames.some(isIt), `${event}${channel ? ` on ${channel}` : ''}`);
    return this.frames.splice(this.frames.findIndex(isIt), 1)[0]!;
  }

  /** That frame, which comes only if the app has something on. @throws Skipped if it does not come */
  async nextIfOn(event: string, setting: string): Promise<Frame> {
    try {
      return await this.next(event);
    } catch (error) {
      throw error instanceof Mismatch ? new Skipped(`the app does not have ${setting} on`) : error;
    }
  }

  /** The next frame of that event must match. */
  async gets(event: string, pattern: Pattern, channel?: string): Promise<Frame> {
    const frame = await this.next(event, channel);
    if (!matches(frame, pattern)) throw new Mismatch(event, described(pattern), described(frame));
    return frame;
  }

  /** Asks for an answer: whatever was sent to the connection before has come then. */
  async fence(): Promise<void> {
    this.send({ event: 'pusher:ping', data: {} });
    await this.next('pusher:pong');
  }

  /** What was sent to the connection has been read: it answers, or has closed. */
  async settles(): Promise<void> {
    await this.fence().catch((error: unknown) => {
      if (!this.closed) throw error;
    });
  }

  /** No frame of that event has come, and none is in flight. */
  async getsNo(event: string, channel?: string): Promise<void> {
    await this.fence();
    const found = this.frames.find((frame) => frame.event === event && (!channel || frame.channel === channel));
    if (found) throw new Mismatch('a frame', `no ${event}`, described(found));
  }

  async closes(code: number): Promise<void> {
    await this.when(() => this.closed !== undefined, `the close with ${code}`);
    if (this.closed?.code !== code) throw new Mismatch('the close', String(code), described(this.closed));
  }

  close(): void {
    this.socket.close();
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

function frameOf(text: string): Frame {
  try {
    return JSON.parse(text) as Frame;
  } catch {
    return { event: 'a frame without JSON', data: text };
  }
}
