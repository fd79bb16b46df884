import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { PresenceChannel } from 'pusher-js';
import { newSessionId, withoutDoubles } from '@rookery/client';
import { overSocket, signed } from '../support/channels-api.js';
import { app, subscribed, type TestCluster } from '../support/cluster.js';
import { instance } from '../support/push-app.js';
import { PusherJs } from '../support/pusher-js.js';
import { retried } from '../support/retried.js';

/** A load balancer that each client and each request goes through. */
interface Balancer {
  readonly port: number;
}

/** What a client is told that is no reason to connect again: closes with 4100 to 4299 and broken connections are one. */
export function errorsOf(client: PusherJs): readonly unknown[] {
  const errors: unknown[] = [];
  client.connection.bind('error', (error: { readonly data?: { readonly code?: number } }) => {
    const code = error.data?.code;
    if (code !== undefined && (code < 4100 || code >= 4300)) errors.push(error);
  });
  client.bind_global((name: string, data: unknown) => {
    if (name === 'pusher:subscription_error') errors.push(data);
  });
  return errors;
}

/** Stock pusher-js with a session, on a channel with a history. */
export class Page {
  readonly heard: number[] = [];
  gaps = 0;
  readonly client: PusherJs;
  readonly errors: readonly unknown[];

  constructor({ port }: Balancer, transport: 'ws' | 'xhr_polling', event = 'tick') {
    const session = `/session/${newSessionId()}`;
    const stock = new PusherJs(app.key, {
      cluster: '',
      wsHost: '127.0.0.1',
      wsPort: port,
      wsPath: session,
      httpHost: '127.0.0.1',
      httpPort: port,
      httpPath: `${session}/pusher`,
      forceTLS: false,
      enabledTransports: [transport],
    });
    this.client = withoutDoubles(stock);
    this.errors = errorsOf(this.client);
    const channel = this.client.subscribe('kept-news');
    channel.bind(event, (n: number) => this.heard.push(n));
    channel.bind('rookery:gap', () => void (this.gaps += 1));
  }

  get isSubscribed(): boolean {
    return this.client.connection.state === 'connected' && this.client.channel('kept-news').subscribed;
  }
}

/** A member of a presence channel, and what it is told of the others. */
export class Member {
  readonly told: string[] = [];

  private constructor(
    private readonly channel: PresenceChannel,
    readonly errors: readonly unknown[],
  ) {
    channel.bind('pusher:member_added', ({ id }: { id: string }) => this.told.push(`+${id}`));
    channel.bind('pusher:member_removed', ({ id }: { id: string }) => this.told.push(`-${id}`));
  }

  static async join(cluster: TestCluster, balancer: Balancer, user: string): Promise<Member> {
    const client = await cluster.client(balancer, { user_id: user });
    const errors = errorsOf(client);
    return new Member((await subscribed(client, 'presence-room')) as PresenceChannel, errors);
  }

  get roster(): readonly string[] {
    const ids: string[] = [];
    this.channel.members.each(({ id }: { id: string }) => ids.push(id));
    return ids.toSorted();
  }
}

/** No answer but 200 will do: only over a broken connection is a request repeated. */
const none: ReadonlySet<number> = new Set();

/** Requests to whichever process, with an Idempotency-Key. They throw if one is answered with an error. */
export class Caller {
  constructor(private readonly balancer: Balancer) {}

  async trigger(channel: string, name: string, data: unknown): Promise<void> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
    const event = { channel, name, data: JSON.stringify(data) };
    await retried(() => overSocket(this.balancer, signed('POST', '/events', event, { app, headers })), none);
  }

  async register(token: string, interest: string): Promise<void> {
    const path = `/device_api/v1/instances/${instance.id}/devices/fcm`;
    const { id } = await this.push(path, { token });
    await this.push(`${path}/${id}/interests/${interest}`, {});
  }

  /** Answers the id of the publish. */
  async publish(interest: string, webhookUrl?: string): Promise<string> {
    const body = { interests: [interest], fcm: { data: { a: 'b' } }, ...(webhookUrl && { webhookUrl }) };
    return (await this.push(`${publishes}/interests`, body)).publishId;
  }

  publishStatus(id: string): Promise<any> {
    return this.push(`${publishes}/${id}`);
  }

  /** Without a body, it only asks. */
  private async push(path: string, body?: object): Promise<any> {
    const headers = {
      authorization: `Bearer ${instance.secretKey}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
      connection: 'close',
    };
    const { text } = await retried(async () => {
      const url = `http://127.0.0.1:${this.balancer.port}${path}`;
      const response = await fetch(url, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers });
      return { status: response.status, text: await response.text() };
    }, none);
    return text === '' ? undefined : JSON.parse(text);
  }
}

const publishes = `/publish_api/v1/instances/${instance.id}/publishes`;

/** Does one thing after the other at a steady rate, until it is stopped. */
export class Steadily<Result> {
  readonly results: Result[] = [];
  private isStopped = false;
  /** Rejects as soon as one fails. */
  readonly running: Promise<void>;

  constructor(
    private readonly perSecond: number,
    private readonly act: (n: number) => Promise<Result>,
  ) {
    this.running = this.run();
    // `stop` rejects with it.
    this.running.catch(() => undefined);
  }

  async stop(): Promise<readonly Result[]> {
    this.isStopped = true;
    await this.running;
    return this.results;
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      const [result] = await Promise.all([this.act(this.results.length), delay(1000 / this.perSecond)]);
      this.results.push(result);
    }
  }
}
