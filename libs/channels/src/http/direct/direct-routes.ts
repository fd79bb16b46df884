import type { Awaitable } from 'rookery/common';
import type { RequestHead } from './request-head.js';

/** The answer to a request. */
export interface DirectAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers a POST; neither throws nor rejects. */
export type DirectRoute = (url: string, body: Buffer) => Awaitable<DirectAnswer>;

// App ids that are long or have other characters are left to the router.
const paths = {
  events: /^\/apps\/[\w-]{1,64}\/events(?:\?|$)/,
  batch_events: /^\/apps\/[\w-]{1,64}\/batch_events(?:\?|$)/,
} as const;

/** The two routes that are answered without the router of the host's platform. */
export class DirectRoutes {
  constructor(
    private readonly routes: Readonly<Record<keyof typeof paths, DirectRoute>>,
    private readonly bodyLimit: number,
  ) {}

  /** The route of a request; undefined if its body is too large to buffer. */
  find({ url, bodySize }: RequestHead): DirectRoute | undefined {
    if (bodySize > this.bodyLimit) return undefined;
    if (paths.events.test(url)) return this.routes.events;
    return paths.batch_events.test(url) ? this.routes.batch_events : undefined;
  }
}
