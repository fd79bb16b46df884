import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Mismatch } from './case.js';
import { described, matches, type Pattern } from './matching.js';

/** A webhook as it came. */
export interface Webhook {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Departures are held for three seconds, and a failed attempt is repeated. */
const patienceMs = 15_000;

/** Listens for the webhooks of the app; all cases share it. */
export class WebhookListener {
  readonly received: Webhook[] = [];
  private readonly waiting = new Set<() => void>();

  private constructor(private readonly server: Server) {}

  static async listen(port: number, host = '0.0.0.0'): Promise<WebhookListener> {
    const server = createServer();
    const listener = new WebhookListener(server);
    server.on('request', (request, response) => {
      void text(request).then((body) => {
        listener.received.push({ headers: request.headers, body });
        response.end();
        for (const each of listener.waiting) each();
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
      await this.another(left);
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

  private another(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => done(), ms);
      const done = (): void => {
        clearTimeout(timer);
        this.waiting.delete(done);
        resolve();
      };
      this.waiting.add(done);
    });
  }
}

function eventsIn(body: string): readonly unknown[] {
  try {
    return (JSON.parse(body) as { readonly events: readonly unknown[] }).events;
  } catch {
    return [];
  }
}

/** As the app's server checks it. */
export const signatureOf = (secret: string, body: string): string =>
  createHmac('sha256', secret).update(body).digest('hex');
