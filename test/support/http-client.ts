import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { testApp } from './channels-server.js';
import { type Credentials, type Frame, WireClient } from './wire-client.js';

/** How a client hears over plain HTTP. */
export const httpWays = ['xhr_streaming', 'xhr'] as const;
export type HttpWay = (typeof httpWays)[number];

/** As pusher-js does it. */
const streamCharacters = 256 * 1024;

/** A number and eight digits, as pusher-js makes them. */
export const newHttpId = (): string =>
  `${randomInt(1000)}/${Array.from({ length: 8 }, () => randomInt(32).toString(32)).join('')}`;

/** The server's port, or that of the next request. */
type Port = number | (() => number);

/**
 * A {@link WireClient} over plain HTTP requests, which does what pusher-js does, but has a TCP connection for each: where
 * several processes take them, they reach any.
 */
export class HttpClient extends WireClient {
  /** How often the server said that the connection is open. */
  opened = 0;
  /** How many requests have waited for something. */
  requests = 0;
  /** While set, it does not ask again: it neither reads on nor polls. */
  isFrozen = false;
  private current = new AbortController();
  private sending = Promise.resolve();

  private constructor(
    private readonly port: Port,
    private readonly path: string,
    private readonly way: HttpWay,
    app: Credentials,
    private readonly query: string,
  ) {
    super(app);
    void this.listen();
  }

  /** Opens a connection without waiting for its first frame. */
  static open(
    port: Port,
    way: HttpWay,
    app: Credentials = testApp,
    { query = '?protocol=7&client=js&version=8.6.0', path = '/pusher', id = newHttpId() } = {},
  ): HttpClient {
    return new HttpClient(port, `${path}/app/${app.key}/${id}`, way, app, query);
  }

  /** @param session of a client that comes back, if it is to be one */
  static connect(port: Port, way: HttpWay, app: Credentials = testApp, session?: string): Promise<HttpClient> {
    const path = session === undefined ? '/pusher' : `/session/${session}/pusher`;
    return HttpClient.open(port, way, app, { path }).greeted();
  }

  get sendUrl(): string {
    return `http://127.0.0.1:${this.nextPort()}${this.path}/xhr_send`;
  }

  send(frame: unknown): void {
    void this.post([typeof frame === 'string' ? frame : JSON.stringify(frame)]);
  }

  /** Sends a body, after all that it has sent before; answers the status. */
  async post(body: unknown): Promise<number> {
    const sent = this.sending.then(() => this.request('xhr_send', JSON.stringify(body)));
    this.sending = sent.then(
      () => undefined,
      () => undefined,
    );
    const answer = await sent;
    answer.resume();
    return answer.statusCode!;
  }

  close(): void {
    this.closed ??= { code: 1000, reason: '' };
    this.current.abort();
  }

  private async listen(): Promise<void> {
    while (!this.closed) {
      while (this.isFrozen) await delay(10);
      this.current = new AbortController();
      this.requests++;
      try {
        const again = await this.read(await this.request(`${this.way}${this.query}`, '', this.current.signal));
        if (again) continue;
      } catch {
        // As pusher-js: however a request fails, the connection is lost.
      }
      this.closed ??= { code: 1006, reason: '' };
    }
  }

  /** @returns whether to ask again */
  private async read(answer: IncomingMessage): Promise<boolean> {
    if (answer.statusCode !== 200) return false;
    let rest = '';
    let characters = 0;
    for await (const text of answer.setEncoding('utf8') as AsyncIterable<string>) {
      while (this.isFrozen) await delay(10);
      characters += text.length;
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) this.take(line);
      if (rest === '' && characters > streamCharacters) return true;
    }
    return this.way === 'xhr';
  }

  private take(line: string): void {
    if (this.closed) return;
    const said: unknown = JSON.parse(line.slice(1) || 'null');
    if (line.startsWith('o')) {
      if (++this.opened > 1) this.closed = { code: 1006, reason: 'Server lost session' };
    } else if (line.startsWith('a')) for (const text of said as string[]) this.frames.push(JSON.parse(text) as Frame);
    else if (line.startsWith('c')) {
      const [code, reason] = said as [number, string];
      this.closed = { code, reason };
    } else throw new Error(`What is ${line}?`);
  }

  private async request(end: string, body: string, signal?: AbortSignal): Promise<IncomingMessage> {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const options = {
      host: '127.0.0.1',
      port: this.nextPort(),
      path: `${this.path}/${end}`,
      method: 'POST',
      agent: false,
      headers,
    };
    const sent = request({ ...options, ...(signal && { signal }) }).end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return answer;
  }

  private nextPort(): number {
    return typeof this.port === 'number' ? this.port : this.port();
  }
}
