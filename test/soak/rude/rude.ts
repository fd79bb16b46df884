import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { signed } from '../../support/channels-api.js';
import { RawClient } from '../../support/raw-client.js';
import { Random } from '../../support/random.js';
import { hostileApp } from './hostile-app.js';
import { RudeSocket, type Way } from './rude-socket.js';

/** How often what happened: connections that were `opened` and `refused`, and each status of answers. */
export type RudeFigures = Record<string, number>;

interface Asked {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whoever attacks, for one turn. */
export class Rude {
  readonly figures: RudeFigures = {};
  readonly random = new Random(11);
  isOver = false;
  private readonly open = new Set<RawClient>();

  /**
   * @param address the public address of its clients, as the server's proxy tells it
   * @param turn of all turns: names that contain it are new
   */
  constructor(
    readonly port: number,
    readonly address: string,
    readonly turn: number,
  ) {}

  /** @returns undefined if it is not let in */
  async connect(way: Partial<Way> = {}): Promise<RudeSocket | undefined> {
    if (this.isOver) return undefined;
    const socket = await RudeSocket.connect({ port: this.port, forwardedFor: this.address, ...way });
    this.count(socket ? 'opened' : 'refused');
    if (socket) this.owns(socket);
    return socket;
  }

  /** A TCP connection. */
  async connectRaw(): Promise<RawClient> {
    const client = await RawClient.open(this.port);
    this.owns(client);
    return client;
  }

  /** Connects again whenever it is closed. */
  async always(act: (socket: RudeSocket) => Promise<unknown>, way?: Partial<Way>): Promise<void> {
    while (!this.isOver) {
      const socket = await this.connect(way);
      if (socket) await act(socket);
      else await sleep(500);
    }
  }

  /** Calls at a fixed rate until the turn is over, or the socket closed. Calls for which there was no time are left out. */
  async paced(perSecond: number, call: () => unknown, socket?: RudeSocket): Promise<void> {
    const everyMs = 1000 / perSecond;
    const isOver = (): boolean => this.isOver || socket?.isOpen === false;
    for (let dueAt = performance.now(); !isOver();) {
      void call();
      dueAt = Math.max(dueAt, performance.now() - everyMs) + everyMs;
      await sleep(dueAt - performance.now());
    }
  }

  /** @returns the status of the answer; undefined if there was none */
  async ask(path: string, { method = 'POST', body = '', headers = {} }: Asked = {}): Promise<number | undefined> {
    const sent = request({
      host: '127.0.0.1',
      port: this.port,
      method,
      path,
      agent: false,
      headers: {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'x-forwarded-for': this.address,
        ...headers,
      },
    }).end(body);
    try {
      const [answer] = (await once(sent, 'response')) as [{ statusCode: number; resume: () => void }];
      answer.resume();
      this.count(String(answer.statusCode));
      return answer.statusCode;
    } catch {
      this.count('unanswered');
      return undefined;
    }
  }

  /** A request of the tenant to its own app. */
  asTenant(
    method: 'GET' | 'POST',
    path: string,
    content?: object,
    headers: Asked['headers'] = {},
  ): Promise<number | undefined> {
    const { url, body } = signed(method, path, content, { app: hostileApp });
    return this.ask(url, { method, headers, ...(body !== undefined && { body: String(body) }) });
  }

  count(what: string): void {
    this.figures[what] = (this.figures[what] ?? 0) + 1;
  }

  end(): void {
    this.isOver = true;
    for (const client of this.open) client.socket.destroy();
  }

  private owns(client: RawClient): void {
    if (this.isOver) return void client.socket.destroy();
    this.open.add(client);
    client.socket.once('close', () => this.open.delete(client));
  }
}
