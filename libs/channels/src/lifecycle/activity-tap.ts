import { Injectable } from '@nestjs/common';

/** The kinds of activity that are reported. */
export const observedKinds = [
  'connected',
  'disconnected',
  'subscribed',
  'unsubscribed',
  'occupied',
  'vacated',
  'member_added',
  'member_removed',
  'event',
  'client_event',
  'error',
  'webhook',
  'signed_in',
  'slow_closed',
] as const;
export type ObservedKind = (typeof observedKinds)[number];

/** An attempt to deliver a webhook. */
export interface ObservedWebhook {
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

/** An activity in this process. */
export interface Observed {
  readonly appId: string;
  readonly kind: ObservedKind;
  readonly channel?: string;
  readonly socketId?: string;
  readonly userId?: string | undefined;
  /** The event's name. */
  readonly name?: string;
  /** The event's data, or the body of a webhook. */
  readonly data?: string;
  /** The excluded connection. */
  readonly excluded?: string | undefined;
  /** Its position in its channel. */
  readonly position?: string;
  /** The code of an error or a close. */
  readonly code?: number | null;
  readonly message?: string;
  /** The channels that a closed connection was on. */
  readonly channels?: readonly string[];
  /** The position up to which a subscriber was sent earlier events, from the history or as the remembered event. */
  readonly replayedTo?: string | undefined;
  readonly remembered?: string | undefined;
  readonly webhook?: ObservedWebhook;
}

/** An observer. It must not throw or block, because it is called synchronously. */
export interface Observer {
  happened(observed: Observed): void;
  /** An event is delivered to this process's subscribers of its channel. */
  passed(appId: string, channel: string, position: string): void;
}

/** Reports this process's activity to one observer. Without one, the cost is a check of a variable. */
@Injectable()
export class ActivityTap {
  observer: Observer | undefined;
}
