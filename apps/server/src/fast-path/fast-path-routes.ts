import type { Awaitable } from 'rookery/internal/common';
import type { RequestHead } from './request-head.js';

/** The answer to a request. */
export interface FastPathAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers a POST; neither throws nor rejects. */
export type FastPathRoute = (url: string, body: Buffer) => Awaitable<FastPathAnswer>;

/** What is known of a request by its head; its methods neither throw nor reject. */
export interface FastPathHeads {
  /** Whether to answer it here rather than by the router. */
  accepts(head: RequestHead): boolean;
  /** The answer to a request that its head refuses. */
  refusal(head: RequestHead): Awaitable<FastPathAnswer | undefined>;
  /** The address of the client behind the proxies that are trusted. */
  clientAddress(head: RequestHead, peer: string): string;
}

const anyHead: FastPathHeads = { accepts: () => true, refusal: () => undefined, clientAddress: (_, peer) => peer };

// App ids that are long or have other characters are left to the router.
const pathOf = (resource: string, prefixes: readonly string[]): RegExp =>
  new RegExp(`^(?:${prefixes.map(escaped).join('|')})/apps/[\\w-]{1,64}/${resource}(?:\\?|$)`);

// The setting allows no other character that has a meaning in a pattern.
const escaped = (prefix: string): string => prefix.replaceAll('.', '\\.');

/** The two routes that are answered without the router of the host's platform. */
export class FastPathRoutes {
  private readonly events: RegExp;
  private readonly batch: RegExp;

  constructor(
    private readonly routes: Readonly<Record<'events' | 'batch_events', FastPathRoute>>,
    private readonly bodyLimit: number,
    readonly heads: FastPathHeads = anyHead,
    /** Those under which the API is served. */
    prefixes: readonly string[] = [''],
  ) {
    this.events = pathOf('events', prefixes);
    this.batch = pathOf('batch_events', prefixes);
  }

  /** The route of a request; undefined if the router answers it, such as one with a body too large to buffer. */
  find(head: RequestHead): FastPathRoute | undefined {
    const { url, bodySize } = head;
    if (bodySize > this.bodyLimit || !this.heads.accepts(head)) return undefined;
    if (this.events.test(url)) return this.routes.events;
    return this.batch.test(url) ? this.routes.batch_events : undefined;
  }
}
