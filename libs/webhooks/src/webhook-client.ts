import { FetchFailed, SafeFetch, UnsafeUrl, UnsendableRequest } from '#common';
import type { WebhookDelivery } from './webhook-delivery.js';

/** Why a try failed. `refused`: further tries cannot succeed. */
export interface TryFailure {
  readonly outcome: 'failed' | 'refused';
  readonly reason: string;
  /** The endpoint's status, if it answered. */
  readonly status?: number;
  /** The beginning of its answer. Absent if that is empty, or if the URL is untrusted: its caller must not read hosts. */
  readonly answer?: string;
}
export type TryOutcome = ({ readonly outcome: 'accepted' } & Pick<TryFailure, 'status' | 'answer'>) | TryFailure;

/** The client reads this much of an answer, so that it can reuse the connection. */
const maxAnswerBytes = 65_536;

/** How much of an answer is shown to people. */
const maxCharacters = 500;

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
      const got = await (untrusted ? this.untrusted : this.trusted).request(url, { headers, body, timeoutMs });
      const { status } = got;
      const text = untrusted ? '' : got.body.trim().slice(0, maxCharacters);
      const answer = text === '' ? {} : { answer: text };
      if (status >= 200 && status < 300) return { outcome: 'accepted', status, ...answer };
      return { outcome: 'failed', reason: `it answered ${status}`, status, ...answer };
    } catch (error) {
      if (error instanceof UnsafeUrl || error instanceof UnsendableRequest)
        return { outcome: 'refused', reason: error.message };
      if (error instanceof FetchFailed) return { outcome: 'failed', reason: error.message };
      throw error;
    }
  }

  /** Closes all connections; tries in progress fail. */
  async close(): Promise<void> {
    await Promise.all([this.trusted.close(), this.untrusted.close()]);
  }
}
