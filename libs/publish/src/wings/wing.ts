import type { Provider, Type } from '@nestjs/common';
import type { ReplaceablePort } from '#common';
import type { Platform } from 'rookery/push-device';
import type { DeliveryStep } from '../fan-out/delivery-step.js';

/** What a gateway's reason means, and what to do about it. */
export type Advisor = readonly [reason: RegExp, meaning: string, action: string];

/** Why the deliveries of a feature fail. */
export type Advice = Readonly<Partial<Record<Platform, readonly Advisor[]>>>;

/** A feature of publishing: all that PublishModule needs to know of it. Its folder has the rest. */
export interface Wing {
  /** The ports that hosts may replace, by the names of their arguments of `forRoot`. */
  readonly ports?: Readonly<Record<string, ReplaceablePort<object>>>;
  /** Besides those named below. */
  readonly providers?: readonly Provider[];
  /** Providers that hosts and other modules may inject. */
  readonly services: readonly Type<object>[];
  readonly controllers: readonly Type<object>[];
  /** How it delivers publishes of its own. */
  readonly step: Type<DeliveryStep>;
}
