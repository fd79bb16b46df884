import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Mismatch } from './case.js';
import { Changes } from './changes.js';
import { described, matches, type Pattern } from './matching.js';

/** A webhook as it came. */
export interface Webhook {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Departures are held for three seconds, and a failed attempt is repeated. */
const patienceMs = 15_000;
const maxBytes = 1024 * 1024;

/** Listens for the webhooks of the app; all cases share it. */
export class WebhookListener {
  readonly received: Webhook[] = [];
  private readonly changes = new Changes();

  private constructor(private readonly server: Server) {}

  static async listen(port: number, host = '0.0.0.0'): Promise<WebhookListener> {
    const server = createServer();
    const listener = new WebhookListener(server);
    server.on('request', (request, response) => {
      void bodyOf(request).then((body) => {
        if (body === undefined) {
          request.destroy();
          return;
        }
        listener.received.push({ headers: request.headers, body });
        response.end();
        listener.changes.happened();
      });
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
    return listener;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** The webhook with such an event. @throws Mismatch if none comes */
  async with(event: Pattern): Promise<Webhook> {
    const end = performance.now() + patienceMs;
    for (;;) {
      const found = this.received.find(({ body }) => eventsIn(body).some((each) => matches(each, event)));
      if (found) return found;
      const left = end - performance.now();
      if (left <= 0)
        throw new Mismatch('a webhook', described(event), this.received.map(({ body }) => body).join(', '));
      await this.changes.next(left);
    }
  }

  /** How many have come with such an event. */
  count(event: Pattern): number {
    return this.received.flatMap(({ body }) => eventsIn(body)).filter((each) => matches(each, event)).length;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** @returns undefined if it is larger than any webhook, or breaks off */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      if ((bytes += chunk.length) > maxBytes) return undefined;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  } catch {
    return undefined;
  }
}

function eventsIn(body: string): readonly unknown[] {
  try {
    return (JSON.parse(body) as { readonly events: readonly unknown[] }).events;
  } catch {
    return [];
  }
}
