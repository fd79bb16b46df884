import { FetchFailed, SafeFetch, UnsafeUrl } from '../safe-fetch/index.js';
import type { WebhookDelivery } from './webhook-delivery.js';

/** Why a try did not reach its end. `refused`: no later try can do better. */
export interface TryFailure {
  readonly outcome: 'failed' | 'refused';
  readonly reason: string;
  /** What the endpoint answered, if it did. */
  readonly status?: number;
}
export type TryOutcome = { readonly outcome: 'accepted'; readonly status?: number } | TryFailure;

/** What of an endpoint's answer is read, so that its connection can be used again: nobody looks at it. */
const maxAnswerBytes = 65_536;

/**
 * Makes tries: one POST each, on connections that are kept. Redirects are not followed: only 2xx accepts. Untrusted
 * URLs reach no private address.
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

  /** Ends all connections; tries that are under way fail. */
  async close(): Promise<void> {
    await Promise.all([this.trusted.close(), this.untrusted.close()]);
  }
}
