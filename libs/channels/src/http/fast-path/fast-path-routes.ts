import type { Awaitable } from '#common';
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

// App ids that are long or have other characters are left to the router.
const paths = {
  events: /^\/apps\/[\w-]{1,64}\/events(?:\?|$)/,
  batch_events: /^\/apps\/[\w-]{1,64}\/batch_events(?:\?|$)/,
} as const;

/** The two routes that are answered without the router of the host's platform. */
export class FastPathRoutes {
  constructor(
    private readonly routes: Readonly<Record<keyof typeof paths, FastPathRoute>>,
    private readonly bodyLimit: number,
    /** Whether to answer a request here rather than by the router. */
    private readonly accepts: (head: RequestHead) => boolean = () => true,
  ) {}

  /** The route of a request; undefined if the router answers it, such as one with a body too large to buffer. */
  find(head: RequestHead): FastPathRoute | undefined {
    const { url, bodySize } = head;
    if (bodySize > this.bodyLimit || !this.accepts(head)) return undefined;
    if (paths.events.test(url)) return this.routes.events;
    return paths.batch_events.test(url) ? this.routes.batch_events : undefined;
  }
}
