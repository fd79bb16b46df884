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
  ) {}

  /** The route of a request; undefined if its body is too large to buffer. */
  find({ url, bodySize }: RequestHead): FastPathRoute | undefined {
    if (bodySize > this.bodyLimit) return undefined;
    if (paths.events.test(url)) return this.routes.events;
    return paths.batch_events.test(url) ? this.routes.batch_events : undefined;
  }
}
