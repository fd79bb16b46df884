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
  readonly code?: number | null;
  readonly message?: string;
  readonly excluded?: string;
  /** Of an error: the event of the message that was refused, such as `pusher:subscribe`. */
  readonly refused?: string;
  /** The key that a refused connection brought. */
  readonly key?: string;
  /** The channel's subscriptions, over all processes. */
  readonly reached?: number;
  readonly webhook?: WebhookAttempt;
}

/** The activities of the last minutes that are still kept, the latest first. */
export interface Recent {
  readonly activities: readonly Activity[];
}

export interface LiveStatus {
  readonly dropped: number;
  readonly nodes: number;
}
