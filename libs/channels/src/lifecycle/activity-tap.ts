import { Injectable } from '@nestjs/common';

/** What is told of, by its name. */
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

/** A try to deliver a webhook. */
export interface ObservedWebhook {
  /** Without what may be a secret in it. */
  readonly url: string;
  /** The names of the events that it tells of. */
  readonly events: readonly string[];
  /** 1 for the first try. */
  readonly attempt: number;
  /** What the endpoint answered, if it did. */
  readonly status: number | null;
  /** Why it failed; null where it was accepted. */
  readonly error: string | null;
  /** When it is tried again, in epoch milliseconds; null where it is not. */
  readonly nextAt: number | null;
}

/** Something that happened in this process. */
export interface Observed {
  readonly appId: string;
  readonly kind: ObservedKind;
  readonly channel?: string;
  readonly socketId?: string;
  readonly userId?: string | undefined;
  /** Of an event. */
  readonly name?: string;
  readonly data?: string;
  /** The connection that did not get it. */
  readonly excluded?: string | undefined;
  /** Where it stands in its channel. */
  readonly position?: string;
  /** Of an error, or of how a connection ended. */
  readonly code?: number | null;
  readonly message?: string;
  /** What a connection that ended was on. */
  readonly channels?: readonly string[];
  /** What a subscriber was given that came before: of the history up to this position, or the remembered event of it. */
  readonly replayedTo?: string | undefined;
  readonly remembered?: string | undefined;
  readonly webhook?: ObservedWebhook;
}

/** An observer. It must not throw or take long: it is called in the middle of the work. */
export interface Observer {
  happened(observed: Observed): void;
  /** An event passes the subscribers that this process has on its channel. */
  passed(appId: string, channel: string, position: string): void;
}

/** Tells one observer what this process does, while there is one. Without, each place asks for it and goes on. */
@Injectable()
export class ActivityTap {
  observer: Observer | undefined;
}
