import type { Provider, Type } from '@nestjs/common';
import type { ReplaceablePort } from '#common';
import type { describing } from '#http';
import type { WebhookClient } from '#webhooks';
import type { Apps } from '../access/apps.js';
import type { ClientEventStep } from '../events/client-event-step.js';
import type { FeatureMessageHandler } from '../events/feature-messages.js';
import type { TriggerStep } from '../events/trigger-step.js';
import type { SubscriptionPart } from '../subscriptions/subscription-part.js';

/** What sends queued requests: webhooks, and those of features. */
export type DeliveryClient = Pick<WebhookClient, 'post' | 'close'>;

/** A feature: all that ChannelsModule needs to know of it. Its folder has the rest. */
export interface Wing {
  /** The ports that hosts may replace, by the names of their arguments of `forRoot`. */
  readonly ports?: Readonly<Record<string, ReplaceablePort<object>>>;
  /** Besides those named below. */
  readonly providers?: readonly Provider[];
  /** What hosts and other modules may inject, besides the ports. */
  readonly exports?: readonly Type<object>[];
  readonly controllers?: readonly Type<object>[];
  /** The paths of the controllers below `/apps/<app_id>/`: their first segments. */
  readonly paths?: readonly string[];
  /** What the step adds to the attributes of channels in the answers of triggers, as the OpenAPI document has it. */
  readonly attributes?: Readonly<Record<string, describing.Shape>>;
  /** What it adds to subscriptions. */
  readonly part?: Type<SubscriptionPart>;
  /** What it does with the calls of servers, such as events before they are published. */
  readonly step?: Type<TriggerStep>;
  /** What it does with the events of clients after they were published. */
  readonly clientEventStep?: Type<ClientEventStep>;
  /** Sends what the wing queues beside webhooks, and passes webhooks on to the given client. */
  readonly client?: (client: DeliveryClient, apps: Pick<Apps, 'findById'>) => DeliveryClient;
  /** The arguments of listeners to its activities, from their JSON, by name. */
  readonly listened?: Readonly<Record<string, (json: string) => object>>;
  /** What clients send to it. */
  readonly messages?: readonly Type<FeatureMessageHandler>[];
}
