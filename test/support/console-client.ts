import { type IncomingMessage, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { until } from './until.js';

/** An activity, as the console reports it. */
export interface Told {
  readonly id: string;
  readonly node: string;
  readonly kind: string;
  readonly [more: string]: unknown;
}

/** Asks a console's API as a script does, with the password; each request has a connection of its own. */
export class ConsoleClient {
  private readonly views: LiveView[] = [];

  constructor(
    private readonly port: number,
    private readonly password: string,
  ) {}

  async ask(method: string, path: string, body?: unknown): Promise<{ status: number; text: string; json: any }> {
    const answer = await this.request(method, path, body);
    const text = await textOf(answer);
    return { status: answer.statusCode!, text, json: text.startsWith('{') ? JSON.parse(text) : undefined };
  }

  async get(path: string): Promise<any> {
    return (await this.ask('GET', path)).json;
  }

  /** Looks at what happens in an app, from the first answer on. */
  async live(appId: string, query = ''): Promise<LiveView> {
    const view = new LiveView(await this.request('GET', `apps/${appId}/live${query}`));
    this.views.push(view);
    await until(() => view.nodes > 0, 'the stream has begun');
    return view;
  }

  /** Ends all its streams. */
  close(): void {
    for (const { answer } of this.views) answer.destroy();
  }

  private request(method: string, path: string, body?: unknown): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${this.password}`, 'content-type': 'application/json' };
      const at = { host: '127.0.0.1', port: this.port, path: `/console/api/${path}`, agent: false };
      request({ ...at, method, headers }, resolve)
        .on('error', reject)
        .end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

/** A stream of what happens. */
export class LiveView {
  readonly told: Told[] = [];
  dropped = 0;
  nodes = 0;
  isOver = false;
  private rest = '';

  constructor(readonly answer: IncomingMessage) {
    answer.setEncoding('utf8');
    answer.on('data', (text: string) => this.read(text));
    answer.on('close', () => (this.isOver = true));
    answer.on('error', () => undefined);
  }

  async next(kind: string, like: object = {}): Promise<Told> {
    const isLike = (each: Told): boolean =>
      each.kind === kind && Object.entries(like).every(([name, value]) => each[name] === value);
    await until(() => this.told.some(isLike), `${kind} ${JSON.stringify(like)} is told`);
    return this.told.find(isLike)!;
  }

  private read(text: string): void {
    const blocks = (this.rest + text).split('\n\n');
    this.rest = blocks.pop()!;
    for (const block of blocks) this.take(block);
  }

  private take(block: string): void {
    const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
    if (event === 'activities') this.told.push(...(JSON.parse(data!) as Told[]));
    if (event === 'status') Object.assign(this, JSON.parse(data!));
  }
}
