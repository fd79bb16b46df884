import { type Case, Mismatch, Skipped, sources } from '../case.js';
import { described, expects, json } from '../matching.js';
import type { Subject } from '../subject.js';

type Kind = 'xhr_streaming' | 'xhr';

/** A connection over HTTP: an answer that goes on, or one answer after the other. */
class HttpConnection {
  private readonly base: string;
  private readonly ending = new AbortController();
  private readonly reading: Promise<unknown>;
  private text = '';
  private requests = 0;
  private changed = (): void => undefined;

  constructor(
    private readonly subject: Subject,
    private readonly kind: Kind,
  ) {
    this.base = addressOf(subject);
    subject.ends(() => this.ending.abort());
    this.reading = this.run().catch((error: unknown) => error);
  }

  /** Waits until the text that has come matches. @throws Mismatch */
  async reads(pattern: RegExp): Promise<string> {
    const patience = AbortSignal.timeout(this.subject.patienceMs);
    patience.addEventListener('abort', () => this.changed());
    while (!pattern.test(this.text) && !patience.aborted) {
      const change = new Promise<undefined>((resolve) => (this.changed = () => resolve(undefined)));
      const ended = await Promise.race([change, this.reading]);
      if (ended instanceof Error) throw ended;
    }
    if (!pattern.test(this.text)) throw new Mismatch(this.kind, String(pattern), this.text);
    return this.text;
  }

  async send(frame: unknown): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify([JSON.stringify(frame)]);
    const { status } = await fetch(`${this.base}/xhr_send?${this.mark()}`, { method: 'POST', headers, body });
    expects('whether xhr_send succeeds', status < 300, true);
  }

  /** No URL comes twice. */
  private mark(): string {
    return `t=${Date.now()}&n=${++this.requests}`;
  }

  private async run(): Promise<void> {
    const { signal } = this.ending;
    do {
      const answer = await fetch(`${this.base}/${this.kind}?protocol=7&client=js&version=8.6.0&${this.mark()}`, {
        method: 'POST',
        signal,
      });
      if (answer.status === 404) throw new Skipped('the server has no HTTP transports');
      expects('the status', answer.status, 200);
      const decoder = new TextDecoder();
      for await (const chunk of answer.body as AsyncIterable<Uint8Array>) {
        this.text += decoder.decode(chunk, { stream: true });
        this.changed();
      }
    } while (this.kind === 'xhr' && !signal.aborted);
  }
}

/** The client chooses the name of its session. */
function addressOf({ target: { url, key } }: Subject): string {
  const session = Array.from({ length: 8 }, () => Math.floor(Math.random() * 32).toString(32)).join('');
  return `${url}/pusher/app/${key}/${Math.floor(Math.random() * 1000)}/${session}`;
}

const transport = (kind: Kind): Case => ({
  id: `http-transports/${kind}`,
  title: `A client of ${kind} is greeted, subscribes, and gets events`,
  profile: 'channels',
  source: sources.httpTransports,
  async run(subject) {
    const client = new HttpConnection(subject, kind);
    const channel = subject.channel();
    const greeted = await client.reads(/^o[^\n]*\n[^]*pusher:connection_established/);
    const [frame = ''] = JSON.parse(/a(\[.*\])\n/.exec(greeted)?.[1] ?? '[]') as string[];
    expects('the greeting', frame, json({ event: 'pusher:connection_established' }));
    await client.send({ event: 'pusher:subscribe', data: { channel } });
    await client.reads(/subscription_succeeded/);
    await subject.trigger([channel], '"over HTTP"');
    await client.reads(/over HTTP/);
  },
});

export const httpTransports: readonly Case[] = [
  transport('xhr_streaming'),
  transport('xhr'),
  {
    id: 'http-transports/cors',
    title: 'A page of another origin may use them',
    profile: 'channels',
    source: sources.httpTransports,
    async run(subject) {
      const { status, headers } = await fetch(`${addressOf(subject)}/xhr`, {
        method: 'OPTIONS',
        headers: {
          origin: 'https://page.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type',
        },
      });
      if (status === 404) throw new Skipped('the server has no HTTP transports');
      const allowed = headers.get('access-control-allow-origin');
      if (allowed === null) throw new Mismatch('Access-Control-Allow-Origin', 'any', described(allowed));
    },
  },
];
