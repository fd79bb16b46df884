import type { Awaitable } from '#common';
import type { Step } from '../all-of.js';
import type { RememberedEvent } from '../broker/broker.js';
import type { Connection, Subscription } from '../connections/connection.js';
import type { SentText } from '../connections/shared-text.js';
import type { AlreadySent } from '../frames/known-frames.js';
import type { Observed } from '../lifecycle/activity-tap.js';

/** A connection on its way onto a channel, whose messages are held for it. */
export interface Joining {
  readonly connection: Connection;
  readonly subscription: Subscription;
  /** Receives the steps that undo what the parts have done; they are taken when a later part fails. */
  readonly undo: Step[];
}

/** An event that the broker keeps. */
export type EarlierEvent = Pick<RememberedEvent, 'text' | 'position'>;

/**
 * What a feature adds to subscriptions; the core imports no feature. The parts enter in the order of
 * {@link SubscriptionParts}, send their texts in this order, and exit in the reverse order.
 */
export interface SubscriptionPart {
  /**
   * Called once the channel's messages are held for the connection.
   * @returns undefined, at once, where the feature has nothing to do with the subscription
   * @throws what refuses the subscription
   */
  enter(joining: Joining): Awaitable<JoinedPart> | undefined;
  /** The client has unsubscribed, or its access was revoked. Not called when the connection closes. */
  unsubscribed?(connection: Connection, channel: string): void;
  /** The connection has left the channel, for whatever reason. */
  exit?(connection: Connection, subscription: Subscription): Awaitable<void>;
}

/** What a part does for one subscription, in the order of its methods. */
export interface JoinedPart {
  /** The confirmation, in place of the one without data. */
  confirmation?(): string;
  /**
   * The texts that follow the confirmation; each is taken once the one before it has been sent.
   * @param isCovered whether another part sends the event, or its client has it
   */
  texts?(isCovered: (event: EarlierEvent | undefined) => boolean): AsyncIterable<SentText> | Iterable<SentText>;
  /** Called after a text of another part was sent. */
  observed?(text: string): void;
  /**
   * Whether the client has the event by this part, which was sent before or in another form. Without an event: whether
   * it has any.
   */
  covers?(event: EarlierEvent | undefined): boolean;
  /** What the client was sent, to explain later why an event did or did not reach it. */
  sent?(): Pick<Observed, 'replayedTo' | 'remembered'>;
  /** The client is confirmed, and was sent all texts. */
  confirmed?(): void;
  /** Of the held messages, those that the client knows already. */
  alreadySent?(): AlreadySent;
  /** The held messages are delivered: the connection receives what is published from now on. */
  released?(): void;
}

/** The parts of all subscriptions, in their order. */
export class SubscriptionParts {
  constructor(readonly all: readonly SubscriptionPart[]) {}
}
