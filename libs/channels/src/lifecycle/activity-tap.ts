import { Injectable } from '@nestjs/common';
import type { Awaitable } from '#common';
import type { ObservedWebhook } from '#webhooks';
import type { ObservedKind } from './observed-kinds.js';

/** An activity in this process, other than an event. */
export interface Observed {
  /** Undefined for a refused connection whose key no app has. */
  readonly appId: string | undefined;
  readonly kind: Exclude<ObservedKind, 'event' | 'client_event'>;
  readonly channel?: string | undefined;
  readonly socketId?: string;
  readonly userId?: string | undefined;
  /** Of a request. */
  readonly name?: string;
  /** How long its reply took, in milliseconds. */
  readonly ms?: number;
  /** The body of a webhook. */
  readonly data?: string;
  /** The code of an error or a close, or the status of a request without a reply. */
  readonly code?: number | null;
  readonly message?: string;
  /** The message of the client that an error refuses, by its event, such as `pusher:subscribe`; a client event is `client`. */
  readonly refused?: string | undefined;
  /** The channels that a closed connection was on. */
  readonly channels?: ReadonlyMap<string, unknown> | undefined;
  /** The position up to which a subscriber was sent earlier events, from the history or as the remembered event. */
  readonly replayedTo?: string | undefined;
  readonly remembered?: string | undefined;
  readonly webhook?: ObservedWebhook;
  readonly refusal?: ObservedRefusal;
}

/** An event of a channel, as the broker carries it. */
export interface ObservedEvent {
  readonly appId: string;
  readonly channel: string;
  /** `{"event":…,"channel":…,"data":"…"}`, with a `user_id` if a member of a presence channel sent it. */
  readonly text: string;
  /** The excluded connection. */
  readonly except?: string;
  /** Set if the server sent it, because a member or a count changed. */
  readonly change?: unknown;
}

/** Whose connection was refused. Its texts may be a hostile client's, but are short. */
export interface ObservedRefusal {
  /** The key that the client brought. */
  readonly key: string;
  readonly remoteAddress: string;
  readonly origin: string | undefined;
}

/** An observer. It must not throw or block, because it is called synchronously. */
export interface Observer {
  observed(observed: Observed): void;
  /**
   * An event is published; its position may still be awaited, or be undefined because the broker is down.
   * @param isOfClient whether a client sent it: the excluded connection
   */
  sent(event: ObservedEvent, position: Awaitable<string | undefined>, isOfClient?: boolean): void;
  /** An event is delivered to this process's subscribers of its channel. */
  passed(event: ObservedEvent, position: string): void;
}

/** Reports this process's activity to one observer. Without one, the cost is a check of a variable. */
@Injectable()
export class ActivityTap {
  observer: Observer | undefined;
}
