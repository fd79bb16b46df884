import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from './until.js';

/** One webhook as it came in; it fits the official library's `webhook()`. */
export interface ReceivedWebhook {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawBody: string;
}

type Reply = (response: ServerResponse, webhook: ReceivedWebhook) => void;

/** An endpoint for webhooks; it answers 200 unless told otherwise for a path. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  /** For the paths that have no reply of their own. */
  otherwise?: Reply;
  private readonly replies = new Map<string, Reply>();
  private readonly server = createServer((request, response) => void this.receive(request, response));

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver();
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}${path}`;
  }

  reply(path: string, reply: Reply): void {
    this.replies.set(path, reply);
  }

  at(path: string): readonly ReceivedWebhook[] {
    return this.received.filter((webhook) => webhook.path === path);
  }

  /** The events that came at a path, body after body. */
  events(path: string): any[] {
    return this.at(path).flatMap(({ rawBody }) => (JSON.parse(rawBody) as { events: unknown[] }).events);
  }

  async untilEvents(path: string, count: number): Promise<any[]> {
    await until(() => this.events(path).length >= count, `${count} events come at ${path}`);
    return this.events(path);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '', headers } = request;
    const webhook = { path, headers, rawBody: await text(request) };
    this.received.push(webhook);
    const reply = this.replies.get(path) ?? this.otherwise;
    if (reply) reply(response, webhook);
    else response.end();
  }
}
