import { IsBoolean } from 'class-validator';
import { IsAmount, IsCount, Optional, rule } from 'rookery/common';
import type { ChannelsLimits } from '../channels.options.js';
import type { App } from './app.js';
import { limitsOf } from './app-limits.js';

/** How much of a channel's past is kept: what is over any of them goes, the oldest first. */
export interface HistoryBounds {
  readonly events: number;
  readonly seconds: number;
  /** Bytes of the events' texts in UTF-8. */
  readonly bytes: number;
}

const isPattern = (pattern: unknown): boolean =>
  typeof pattern === 'string' && /^[^*]*\*?$/.test(pattern) && pattern !== '';

/** Of which channels the events are kept, so that clients that come back get what they missed. */
export class HistoryRule {
  /** A name, or how names begin: `orders-*`. */
  @rule('isPattern', 'must be the name of a channel, or its beginning and a *', isPattern, {
    context: { shown: 'string' },
  })
  readonly channels!: string;
  /** The latest events of a channel, at most `limits.historyEvents`. @default 1000 */
  @IsCount(1)
  readonly events: number = 1000;
  /** For how long, at most `limits.historySeconds`. @default 120 */
  @IsAmount(1)
  readonly seconds: number = 120;
  /** Bytes of UTF-8 in a channel's events. @default `limits.historyBytes` */
  @Optional()
  @IsCount(1)
  readonly bytes?: number;
  /** Whether client events are kept too. @default false */
  @IsBoolean()
  readonly clientEvents: boolean = false;
}

/** A rule as it is configured: what is not said takes its default. */
export type HistoryRuleConfig = Pick<HistoryRule, 'channels'> & Partial<HistoryRule>;

const defaults = new HistoryRule();

/** @returns the first rule that names the channel */
export function historyRuleOf({ history }: App, channel: string): HistoryRuleConfig | undefined {
  for (const each of history) {
    const { channels } = each;
    const isNamed = channels.endsWith('*') ? channel.startsWith(channels.slice(0, -1)) : channel === channels;
    if (isNamed) return each;
  }
  return undefined;
}

/** What is kept of a channel's events; `undefined` where nothing is. */
export function historyOf(
  app: App,
  channel: string,
  all: ChannelsLimits,
  isClientEvent = false,
): HistoryBounds | undefined {
  // Most apps have none.
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
