import { IsBoolean } from 'class-validator';
import { IsAmount, IsCount, Optional, rule } from '#common';
import { isNamedBy, isNamePattern } from '../protocol/name-pattern.js';
import type { ChannelsLimits } from './channels-limits.js';
import type { App } from './app.js';
import { limitsOf } from './app-limits.js';

/** How much of a channel's past is kept: beyond any of these bounds, the oldest events are dropped. */
export interface HistoryBounds {
  readonly events: number;
  readonly seconds: number;
  /** Bytes of the events' texts in UTF-8. */
  readonly bytes: number;
}

/** The channels whose events are kept, so that returning clients get what they missed. */
export class HistoryRule {
  /** A channel name, or a prefix followed by `*`: `orders-*`. */
  @rule('isPattern', 'must be a channel name, or a prefix followed by *', isNamePattern, {
    context: { shown: 'string' },
  })
  readonly channels!: string;
  /** How many events a channel keeps, at most `limits.historyEvents`. @default 1000 */
  @IsCount(1)
  readonly events: number = 1000;
  /** How long a channel keeps events, in seconds, at most `limits.historySeconds`. @default 120 */
  @IsAmount(1)
  readonly seconds: number = 120;
  /** How many bytes of events, in UTF-8, a channel keeps, at most `limits.historyBytes`. @default `limits.historyBytes` */
  @Optional()
  @IsCount(1)
  readonly bytes?: number;
  /** Keeps client events too. @default false */
  @IsBoolean()
  readonly clientEvents: boolean = false;
  /** Allows streams: texts that are sent while they are written. New subscribers get the text so far. @default false */
  @IsBoolean()
  readonly streams: boolean = false;
}

/** A rule as it is configured: omitted settings take their defaults. */
export type HistoryRuleConfig = Pick<HistoryRule, 'channels'> & Partial<HistoryRule>;

const defaults = new HistoryRule();

/** @returns the first rule that matches the channel */
export function historyRuleOf({ history }: App, channel: string): HistoryRuleConfig | undefined {
  return history.find(({ channels }) => isNamedBy(channels, channel));
}

/** The bounds of a channel's history; `undefined` where no history is kept. */
export function historyOf(
  app: App,
  channel: string,
  all: ChannelsLimits,
  isClientEvent = false,
): HistoryBounds | undefined {
  // Most apps have no rules.
  if (app.history.length === 0) return undefined;
  const named = historyRuleOf(app, channel);
  if (!named || (isClientEvent && !named.clientEvents)) return undefined;
  const { events = defaults.events, seconds = defaults.seconds, bytes = Infinity } = named;
  const { historyEvents, historySeconds, historyBytes } = limitsOf(app, all);
  return {
    events: Math.min(events, historyEvents),
    seconds: Math.min(seconds, historySeconds),
    bytes: Math.min(bytes, historyBytes),
  };
}

/** The bounds of a channel's history, if it carries streams; `undefined` for other channels. */
export function streamsOf(app: App, channel: string, all: ChannelsLimits): HistoryBounds | undefined {
  return app.history.length > 0 && historyRuleOf(app, channel)?.streams === true
    ? historyOf(app, channel, all)
    : undefined;
}
