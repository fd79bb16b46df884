import { createHmac } from 'node:crypto';
import { until } from './until.js';

export interface Frame {
  readonly event: string;
  readonly channel?: string;
  readonly data?: any;
  readonly user_id?: string;
  readonly position?: string;
  readonly replayed?: boolean;
}

export interface Credentials {
  readonly key: string;
  readonly secret: string;
}

/** A client that speaks the wire protocol by hand, so that tests see every frame as it came. */
export abstract class WireClient {
  readonly frames: Frame[] = [];
  socketId = '';
  closed: { code: number; reason: string } | undefined;

  protected constructor(private readonly app: Credentials) {}

  abstract send(frame: unknown): void;
  abstract close(): void;

  /** Waits for the greeting. */
  protected async greeted(): Promise<this> {
    const { data } = await this.next('pusher:connection_established');
    this.socketId = (JSON.parse(data as string) as { socket_id: string }).socket_id;
    return this;
  }

  /** Takes the first frame of that event that was not taken yet, waiting for it if need be. */
  async next(event: string): Promise<Frame> {
    let at = -1;
    await until(() => (at = this.frames.findIndex((frame) => frame.event === event)) >= 0, `${event} arrives`);
    return this.frames.splice(at, 1)[0]!;
  }

  /**
   * Waits for all that this client's process had to say until now, then answers what came of an event. Events are written
   * at the end of a turn of the event loop, after the answers of that turn: only the second pong follows them all.
   * Changes of members may come even later.
   */
  async settled(event: string): Promise<Frame[]> {
    for (let pings = 0; pings < 2; pings++) {
      this.send({ event: 'pusher:ping', data: {} });
      await this.next('pusher:pong');
    }
    return this.frames.filter((frame) => frame.event === event);
  }

  /** Sends a signed subscribe and answers the server's success, its data decoded. A member that is a text is sent as it is. */
  async subscribe(channel: string, member?: { user_id: unknown; user_info?: unknown } | string): Promise<any> {
    this.sendSubscribe(channel, member);
    const { data } = await this.next('pusher_internal:subscription_succeeded');
    return JSON.parse(data as string) as unknown;
  }

  sendSubscribe(channel: string, member?: { user_id: unknown; user_info?: unknown } | string): void {
    const channelData = typeof member === 'object' ? JSON.stringify(member) : member;
    const text = [this.socketId, channel, ...(channelData === undefined ? [] : [channelData])].join(':');
    this.send({ event: 'pusher:subscribe', data: { channel, auth: this.sign(text), channel_data: channelData } });
  }

  async signin(user: { id: unknown; user_info?: unknown; watchlist?: unknown } | string): Promise<Frame> {
    const userData = typeof user === 'string' ? user : JSON.stringify(user);
    const auth = this.sign(`${this.socketId}::user::${userData}`);
    this.send({ event: 'pusher:signin', data: { auth, user_data: userData } });
    return this.next('pusher:signin_success');
  }

  sign(text: string): string {
    return `${this.app.key}:${createHmac('sha256', this.app.secret).update(text).digest('hex')}`;
  }

  async closing(): Promise<{ code: number; reason: string }> {
    await until(() => this.closed !== undefined, 'the socket closes');
    return this.closed!;
  }
}
