import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import Pusher from 'pusher';

/** Where triggers go. */
export interface TriggerLoadOptions {
  readonly port: number;
  readonly app: { readonly id: string; readonly key: string; readonly secret: string };
  readonly channel: string;
  /** One event a request, or three. @default 'events' */
  readonly kind?: 'events' | 'batch_events';
  /** @default 8 */
  readonly senders?: number;
  /** How long each sender waits between its requests, in milliseconds. @default 2 */
  readonly pauseMs?: number;
}

/**
 * Triggers the event `number` with ever new numbers, on several connections, every other one of which is kept alive.
 * A request that found no server is repeated with its number.
 */
export class TriggerLoad {
  /** The numbers that were answered 200, in the order of the answers. */
  readonly accepted: number[] = [];
  /** When each number was sent, by performance.now(). */
  readonly sentAt = new Map<number, number>();
  /** When each of them was accepted, by performance.now(). */
  readonly acceptedAt = new Map<number, number>();
  /** Requests that were answered otherwise. */
  readonly refused: { readonly status: number; readonly retryAfter: string | undefined }[] = [];
  /** Requests without an answer: they may have been accepted. */
  readonly unanswered: number[] = [];
  private next = 0;
  private isStopped = false;
  private readonly signer: Pusher;
  private readonly agents: readonly Agent[];
  private readonly running: Promise<unknown>;

  constructor(private readonly options: TriggerLoadOptions) {
    const { app, senders = 8 } = options;
    this.signer = new Pusher({ appId: app.id, key: app.key, secret: app.secret, host: '127.0.0.1' });
    this.agents = Array.from({ length: senders }, (_, n) => new Agent({ keepAlive: n % 2 === 0, maxSockets: 1 }));
    this.running = Promise.all(this.agents.map((agent) => this.run(agent)));
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
    for (const agent of this.agents) agent.destroy();
  }

  private async run(agent: Agent): Promise<void> {
    const { kind = 'events', pauseMs = 2 } = this.options;
    const count = kind === 'events' ? 1 : 3;
    while (!this.isStopped) {
      const numbers = Array.from({ length: count }, () => this.next++);
      await this.trigger(agent, kind, numbers);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  private async trigger(agent: Agent, kind: string, numbers: readonly number[]): Promise<void> {
    const { channel } = this.options;
    const events = numbers.map((n) => ({ name: 'number', channel, data: String(n) }));
    const body = JSON.stringify(kind === 'events' ? events[0] : { batch: events });
    for (const n of numbers) this.sentAt.set(n, performance.now());
    try {
      const asked = this.ask(agent, kind, body);
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      await text(answer);
      if (answer.statusCode === 200) for (const n of numbers) this.accept(n);
      else this.refused.push({ status: answer.statusCode!, retryAfter: answer.headers['retry-after'] });
    } catch {
      this.unanswered.push(...numbers);
    }
  }

  private accept(n: number): void {
    this.accepted.push(n);
    this.acceptedAt.set(n, performance.now());
  }

  private ask(agent: Agent, kind: string, body: string) {
    const { port, app } = this.options;
    const path = `/apps/${app.id}/${kind}`;
    const body_md5 = createHash('md5').update(body).digest('hex');
    const query = this.signer.createSignedQueryString({
      method: 'POST',
      path,
      body,
      params: {},
      body_md5,
    } as Parameters<Pusher['createSignedQueryString']>[0]);
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    return request({ host: '127.0.0.1', port, path: `${path}?${query}`, method: 'POST', headers, agent }).end(body);
  }
}
