import { FetchFailed, SafeFetch, UnsafeUrl } from '../safe-fetch/index.js';
import type { WebhookDelivery } from './webhook-delivery.js';

/** Why a try failed. `refused`: further tries cannot succeed. */
export interface TryFailure {
  readonly outcome: 'failed' | 'refused';
  readonly reason: string;
  /** The endpoint's status, if it answered. */
  readonly status?: number;
}
export type TryOutcome = { readonly outcome: 'accepted'; readonly status?: number } | TryFailure;

/** The client reads, and ignores, this much of an answer, so that it can reuse the connection. */
const maxAnswerBytes = 65_536;

/**
 * Makes tries: one POST each, over kept-alive connections. It does not follow redirects: only 2xx accepts. Untrusted
 * URLs cannot reach private addresses.
 */
export class WebhookClient {
  private readonly trusted = new SafeFetch({ allowHttp: true, allowPrivateNetwork: true, maxAnswerBytes });
  private readonly untrusted: SafeFetch;

  constructor(allowPrivateNetwork: boolean) {
    this.untrusted = new SafeFetch({ allowHttp: true, allowPrivateNetwork, maxAnswerBytes });
  }

  async post({ url, untrusted, headers, body }: WebhookDelivery, timeoutMs: number): Promise<TryOutcome> {
    try {
      const { status } = await (untrusted ? this.untrusted : this.trusted).request(url, { headers, body, timeoutMs });
      if (status >= 200 && status < 300) return { outcome: 'accepted', status };
      return { outcome: 'failed', reason: `it answered ${status}`, status };
    } catch (error) {
      if (error instanceof UnsafeUrl) return { outcome: 'refused', reason: error.message };
      if (error instanceof FetchFailed) return { outcome: 'failed', reason: error.message };
      throw error;
    }
  }

  /** Closes all connections; tries in progress fail. */
  async close(): Promise<void> {
    await Promise.all([this.trusted.close(), this.untrusted.close()]);
  }
}
