import { type ObservedKind, observedKinds } from '../../../channels/src/lifecycle/observed-kinds.js';

export { observedKinds as activityKinds };
export type ActivityKind = ObservedKind;

/** An attempt to deliver a webhook. */
export interface WebhookAttempt {
  readonly url: string;
  readonly events: readonly string[];
  readonly attempt: number;
  readonly status: number | null;
  readonly error: string | null;
  /** The beginning of the endpoint's answer. */
  readonly answer?: string;
  readonly nextAt: number | null;
}

/** An activity in one of the processes. */
export interface Activity {
  /** For events, the same in every process. */
  readonly id: string;
  readonly at: number;
  /** The process where it occurred. */
  readonly node: string;
  readonly kind: ActivityKind;
  readonly channel?: string;
  readonly socketId?: string;
  readonly userId?: string;
  readonly name?: string;
  /** At most 10 KB of it; absent where payloads are hidden. */
  readonly data?: string;
  /** Of an error or a close; of a request that has no reply, the status. */
  readonly code?: number | null;
  readonly message?: string;
  /** Of an event in a {@link Timeline}. */
  readonly direction?: 'sent' | 'received';
  readonly excluded?: string;
  /** How long the reply to a request took, in milliseconds. */
  readonly ms?: number;
  /** Of an error: the event of the message that was refused, such as `pusher:subscribe`. */
  readonly refused?: string;
  /** The key that a refused connection brought. */
  readonly key?: string;
  /** The channel's subscriptions, over all processes. */
  readonly reached?: number;
  readonly webhook?: WebhookAttempt;
}

/** What a connection or a user did, sent and received, as far as one process knows. */
export interface OwnTimeline {
  /** The latest first. */
  readonly activities: readonly Activity[];
  /** Since when nothing is missing, in epoch milliseconds. Null: nothing is recorded (`console.traceBytes` is 0). */
  readonly completeSince: number | null;
}

/** The same over all processes. */
export interface Timeline extends OwnTimeline {
  /** Processes that did not answer. */
  readonly missingNodes: number;
}

/** The activities of the last minutes that are still kept, the latest first. */
export interface Recent {
  readonly activities: readonly Activity[];
}

export interface LiveStatus {
  readonly dropped: number;
  readonly nodes: number;
}

/** How a request ended: `answered in 12 ms`, `refused with 409: This field is taken`, or with 5xx, `failed with …`. */
export const replyWords = ({ code, message, ms }: Activity): string =>
  typeof code === 'number' ? `${code < 500 ? 'refused' : 'failed'} with ${code}: ${message}` : `answered in ${ms} ms`;
