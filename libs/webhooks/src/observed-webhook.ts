/** An attempt to deliver a webhook. */
export interface ObservedWebhook {
  /** The same for all attempts. */
  readonly id: string;
  /** In epoch milliseconds, if it is known. */
  readonly createdAt?: number;
  /** Without possible secrets. */
  readonly url: string;
  /** The names of the events in it. */
  readonly events: readonly string[];
  /** 1 for the first try. */
  readonly attempt: number;
  /** The endpoint's status, if it answered. */
  readonly status: number | null;
  /** Why it failed; null if it was accepted. */
  readonly error: string | null;
  /** The beginning of the endpoint's answer, if it had a body. */
  readonly answer?: string;
  /** When the next attempt is due, in epoch milliseconds; null if there is none. */
  readonly nextAt: number | null;
}
