import { randomUUID } from 'node:crypto';
import type { Job } from 'rookery/jobs';

/** One webhook request that has to reach its endpoint: ready to send, its signature already in the headers. */
export interface WebhookDelivery {
  /** UUID, stable over the retries. */
  readonly id: string;
  /** The app or instance it belongs to. Nothing of one owner is ever sent with another's. */
  readonly owner: string;
  /** Deliveries of one endpoint share its part of the sender; a slow endpoint holds up only itself. */
  readonly endpoint: string;
  /** First tries of one endpoint with the same sequence are made one after another; absent: side by side. */
  readonly sequence?: string;
  readonly url: string;
  /** The URL came with a request, not from the operator: it must not reach private addresses. */
  readonly untrusted: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** The exact bytes that were signed, as UTF-8 text. */
  readonly body: string;
  /** How long one try may take, in milliseconds, at most `longestTryMs`. */
  readonly timeoutMs: number;
  /** The waits before the tries that are left, in milliseconds; empty before the last. */
  readonly retryDelaysMs: readonly number[];
  /** When the next try is due, in epoch milliseconds. */
  readonly dueAt: number;
  /** No try is started after this, in epoch milliseconds. */
  readonly expiresAt: number;
}

/** What differs from one webhook request to the next; the rest follows from it. */
export type WebhookRequest = Pick<WebhookDelivery, 'owner' | 'url' | 'headers' | 'body'> &
  Partial<Pick<WebhookDelivery, 'id' | 'sequence' | 'untrusted' | 'timeoutMs' | 'retryDelaysMs' | 'expiresAt'>>;

/** A try may take at most so long, whatever the delivery says, so that a claim outlasts it. */
export const longestTryMs = 30_000;

const defaultTimeoutMs = 10_000;

/** A day: what waited in a database while nothing ran is still worth a try. */
const defaultLifeMs = 86_400_000;

/** The delivery of a request, due at `now`. Without `retryDelaysMs` it is tried once. */
export function webhookDelivery(request: WebhookRequest, now: number): WebhookDelivery {
  const { timeoutMs = defaultTimeoutMs, retryDelaysMs = [], untrusted = false } = request;
  return {
    ...request,
    id: request.id ?? randomUUID(),
    endpoint: endpointOf(request.owner, request.url, untrusted),
    untrusted,
    timeoutMs,
    retryDelaysMs,
    dueAt: now,
    expiresAt: request.expiresAt ?? now + defaultLifeMs,
  };
}

/** Whoever gives us URLs could give a new path each time, so all of one host count as one endpoint then. */
function endpointOf(owner: string, url: string, untrusted: boolean): string {
  return `${owner} ${untrusted ? new URL(url).origin : url}`;
}

/** The job of a delivery. Its state is what changes from one try to the next. */
export function jobOf(delivery: WebhookDelivery): Job {
  const { id, owner, endpoint, dueAt, retryDelaysMs, expiresAt, ...data } = delivery;
  return { id, owner, key: endpoint, dueAt, data: JSON.stringify(data), state: stateOf({ retryDelaysMs, expiresAt }) };
}

type State = Pick<WebhookDelivery, 'retryDelaysMs'> & { readonly expiresAt: number | null };

/** The state of a delivery's job. */
export const stateOf = ({ retryDelaysMs, expiresAt }: Pick<WebhookDelivery, 'retryDelaysMs' | 'expiresAt'>): string =>
  JSON.stringify({ retryDelaysMs, expiresAt } satisfies State);

/** The delivery of a job that {@link jobOf} made. */
export function deliveryOf({ id, owner, key, dueAt, data, state }: Job): WebhookDelivery {
  const { sequence, url, untrusted, headers, body, timeoutMs } = JSON.parse(data) as WebhookDelivery;
  const { retryDelaysMs, expiresAt } = JSON.parse(state) as State;
  const request = { url, untrusted, headers, body, timeoutMs, ...(sequence === undefined ? {} : { sequence }) };
  // JSON writes Infinity as null.
  return { id, owner, endpoint: key, dueAt, retryDelaysMs, expiresAt: expiresAt ?? Infinity, ...request };
}

/** The memory that a delivery takes, roughly: its body and 1 KB for the rest. */
export const weightOfDelivery = ({ body }: WebhookDelivery): number => body.length + 1024;
