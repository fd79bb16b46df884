import type { Activity } from './activity.js';
import type { Page } from './page.js';

/** A webhook that was given up. */
export interface DeadWebhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly at: number;
  /** Why the last attempt failed, with the beginning of the endpoint's answer. */
  readonly lastError: string;
  /** Null when payloads are hidden. */
  readonly body: string | null;
}

/** Given-up webhooks, newest first. */
export type DeadWebhooks = Page<'webhooks', DeadWebhook>;

/** An endpoint of an app. */
export interface WebhookEndpoint {
  /** Without possible secrets. */
  readonly url: string;
  /** Empty: all. */
  readonly events: readonly string[];
  readonly filter: {
    readonly channelNameStartsWith?: string;
    readonly channelNameEndsWith?: string;
    readonly encryptedChannels?: boolean;
  } | null;
  /** The names of its own headers; their values may be secrets. */
  readonly headers: readonly string[];
}

/** How an endpoint has answered lately. */
export interface EndpointHealth {
  /** An app's id, or `instance/` and the id of an instance. */
  readonly owner: string;
  readonly url: string;
  /** The last attempt. */
  readonly at: number;
  readonly status: number | null;
  readonly error: string | null;
  /** The first failure since it last accepted a webhook; null if the last attempt was accepted. */
  readonly failingSince: number | null;
  /** The last attempt that it accepted, since the processes began; null if there is none. */
  readonly acceptedAt: number | null;
  /** Failed attempts of the last ten minutes. */
  readonly failures: number;
  /** When the oldest was created that failed and will be tried again; null if there is none. */
  readonly undeliveredSince: number | null;
}

export interface Webhooks {
  readonly endpoints: readonly WebhookEndpoint[];
  /** Of endpoints that were tried since the processes began, or before, where a store keeps that. */
  readonly health: readonly EndpointHealth[];
  readonly attempts: readonly Activity[];
  readonly waiting: number;
  /** When the first of them is due, in epoch milliseconds: its next try, if it was tried. */
  readonly firstDueAt: number | null;
  /** How many webhooks were given up and not sent again, of those that are kept. */
  readonly dead: number;
  /** How many older ones were dropped since all were last sent again. */
  readonly dropped: number;
}

/** The outcome of a test webhook. */
export interface WebhookTest {
  readonly isAccepted: boolean;
  readonly status: number | null;
  readonly error: string | null;
  readonly answer: string | null;
  readonly durationMs: number;
  /** What was sent. */
  readonly body: string | null;
}
