import { randomUUID } from 'node:crypto';
import type { Job } from 'rookery/jobs';

/** A webhook request to deliver: ready to send, with the signature already in the headers. */
export interface WebhookDelivery {
  /** A UUID that stays the same over all retries. */
  readonly id: string;
  /** The app or instance it belongs to. Deliveries of different owners are never sent together. */
  readonly owner: string;
  /** Deliveries to one endpoint share its part of the sender; a slow endpoint delays only itself. */
  readonly endpoint: string;
  /**
   * Deliveries to one endpoint with different lanes take turns, and when a queue is full, those of the fullest lane are
   * dropped: no lane is delayed or displaced by another.
   */
  readonly lane?: string;
  /** First tries to one endpoint with the same sequence run one after another; absent: in parallel. */
  readonly sequence?: string;
  readonly url: string;
  /** The URL came with a request, not from the operator: it must not reach private addresses. */
  readonly untrusted: boolean;
  readonly headers: Readonly<Record<string, string>>;
  /** The exact bytes that were signed, as UTF-8 text. */
  readonly body: string;
  /** In epoch milliseconds; absent in those that an earlier release has stored. */
  readonly createdAt?: number;
  /** The timeout of one try, in milliseconds, at most `longestTryMs`. */
  readonly timeoutMs: number;
  /** The waits before the remaining tries, in milliseconds; empty before the last. */
  readonly retryDelaysMs: readonly number[];
  /** When the next try is due, in epoch milliseconds. */
  readonly dueAt: number;
  /** No try but the first starts after this time, in epoch milliseconds. */
  readonly expiresAt: number;
  /** Why the previous try failed; absent before the second. */
  readonly lastReason?: string;
}

/** The fields that differ from one webhook request to the next; the others are derived. */
export type WebhookRequest = Pick<WebhookDelivery, 'owner' | 'url' | 'headers' | 'body'> &
  Partial<
    Pick<WebhookDelivery, 'id' | 'lane' | 'sequence' | 'untrusted' | 'timeoutMs' | 'retryDelaysMs' | 'expiresAt'>
  >;

/** The upper limit for a try, whatever the delivery says, so that a claim outlasts it. */
export const longestTryMs = 30_000;

const defaultTimeoutMs = 10_000;

/** A day: a webhook that waited in the database through an outage is still worth a try. */
const defaultLifeMs = 86_400_000;

/** Creates the delivery of a request, due at `now`. Without `retryDelaysMs` it is tried once. */
export function webhookDelivery(request: WebhookRequest, now: number): WebhookDelivery {
  const { timeoutMs = defaultTimeoutMs, retryDelaysMs = [], untrusted = false } = request;
  return {
    ...request,
    id: request.id ?? randomUUID(),
    endpoint: endpointOf(request.owner, request.url, untrusted),
    untrusted,
    timeoutMs,
    retryDelaysMs,
    createdAt: now,
    dueAt: now,
    expiresAt: request.expiresAt ?? now + defaultLifeMs,
  };
}

/** An untrusted caller could use a new path each time, so all its URLs on one host count as one endpoint. */
function endpointOf(owner: string, url: string, untrusted: boolean): string {
  return `${owner} ${untrusted ? new URL(url).origin : url}`;
}

/** Parts endpoint and lane in the key of a job: no URL has it. */
const beforeLane = '\n';

/** Deliveries with the same key share a queue: those to one endpoint in one lane. */
export const keyOf = ({ endpoint, lane }: Pick<WebhookDelivery, 'endpoint' | 'lane'>): string =>
  lane === undefined ? endpoint : `${endpoint}${beforeLane}${lane}`;

/** The endpoint of a job that {@link jobOf} made. */
export const endpointOfJob = ({ key }: Job): string => key.split(beforeLane, 1)[0]!;

/** The job of a delivery. Its state holds what changes between tries. */
export function jobOf(delivery: WebhookDelivery): Job {
  const { id, owner, endpoint, lane, dueAt, retryDelaysMs, expiresAt, ...data } = delivery;
  return { id, owner, key: keyOf({ endpoint, lane }), dueAt, data, state: stateOf({ retryDelaysMs, expiresAt }) };
}

type State = Pick<WebhookDelivery, 'retryDelaysMs' | 'lastReason'> & { readonly expiresAt: number | null };

/** The state of a delivery's job. */
export const stateOf = ({
  retryDelaysMs,
  expiresAt,
  lastReason,
}: Pick<WebhookDelivery, 'retryDelaysMs' | 'expiresAt' | 'lastReason'>): State => ({
  retryDelaysMs,
  expiresAt,
  ...(lastReason !== undefined && { lastReason }),
});

/** The delivery of a job that {@link jobOf} made. */
export function deliveryOf({ id, owner, key, dueAt, data, state }: Job): WebhookDelivery {
  const [endpoint = '', lane] = key.split(beforeLane);
  const { sequence, url, untrusted, headers, body, timeoutMs, createdAt } = data as WebhookDelivery;
  const { retryDelaysMs, expiresAt, lastReason } = state as State;
  const order = { ...(lane !== undefined && { lane }), ...(sequence !== undefined && { sequence }) };
  const created = createdAt === undefined ? {} : { createdAt };
  const request = { url, untrusted, headers, body, timeoutMs, ...order };
  const before = lastReason === undefined ? {} : { lastReason };
  // JSON writes Infinity as null.
  return {
    id,
    owner,
    endpoint,
    dueAt,
    retryDelaysMs,
    expiresAt: expiresAt ?? Infinity,
    ...before,
    ...created,
    ...request,
  };
}

/** The sequence of a job that {@link jobOf} made. */
export const sequenceOf = ({ data }: Job): string | undefined => (data as WebhookDelivery).sequence;

/** The approximate memory of a delivery: its body plus 1 KB. */
export const weightOfDelivery = ({ body }: WebhookDelivery): number => body.length + 1024;
