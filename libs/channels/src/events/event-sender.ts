import { Injectable } from '@nestjs/common';
import type { Awaitable } from '#common';
import type { App } from '../app/app.js';
import { historyOf } from '../app/history-rule.js';
import { Broker, type BrokerEvent, type Position } from '../broker/broker.js';
import { ChannelsSettings } from '../channels.options.js';
import { ActivityTap } from '../lifecycle/activity-tap.js';
import { ChannelsMetrics } from '../metrics.js';
import type { ChannelName } from '../protocol/channel-name.js';
import { channelEvent } from '../protocol/frames.js';
import { preciseNow } from '../precise-now.js';
import { KeptBytes } from './kept-bytes.js';
import type { KeptText } from './kept-text.js';

const everyMs = 10;

/**
 * Samples the time of at most one trigger in ten milliseconds: every trigger at low rates, at little cost at high ones.
 */
class SampledTimes {
  private next = 0;

  /** The time in fractional epoch milliseconds; undefined when this trigger is not sampled. */
  take(): number | undefined {
    const now = preciseNow();
    if (now < this.next) return undefined;
    this.next = now + everyMs;
    return now;
  }
}

/** An event for one channel, fully checked. */
export interface SentEvent {
  readonly name: string;
  readonly data: string;
  readonly socketId?: string | undefined;
  /** Identifies the question when clients are asked to acknowledge the event; see {@link HandledEvents}. */
  readonly asks?: string | undefined;
  /** Set if the store keeps its text once for all its cache channels. */
  readonly text?: KeptText | undefined;
  /** The trace context, if the trigger is traced. */
  readonly traceparent?: string | undefined;
}

/** An event that is being put together. */
type Draft = { -readonly [Field in keyof BrokerEvent]: BrokerEvent[Field] };

/**
 * Sends an app's event to the subscribers of one channel, and has it remembered if the channel's kind or history asks
 * so.
 */
@Injectable()
export class EventSender {
  private readonly times = new SampledTimes();
  private first: (() => void) | undefined;

  constructor(
    private readonly broker: Broker,
    private readonly metrics: ChannelsMetrics,
    private readonly settings: ChannelsSettings,
    private readonly tap: ActivityTap,
    private readonly kept: KeptBytes,
  ) {}

  /** Calls back once, before the first event. */
  beforeFirst(callback: () => void): void {
    this.first = () => {
      this.first = undefined;
      callback();
    };
  }

  /** Failures are returned as a rejected promise. */
  send(app: App, channel: ChannelName, sent: SentEvent): Awaitable<Position> {
    this.first?.();
    const { name, data, socketId, asks, traceparent } = sent;
    const text = channelEvent(name, channel.name, data);
    // Not copied by spread, which costs up to a microsecond for each event.
    const event: Draft = { kind: 'event', appId: app.id, channel: channel.name, text };
    if (socketId !== undefined) event.except = socketId;
    if (asks !== undefined) event.asks = asks;
    if (traceparent !== undefined) event.traceparent = traceparent;
    const history = historyOf(app, channel.name, this.settings.limits);
    if (history !== undefined) event.history = history;
    const acceptedAt = this.times.take();
    if (acceptedAt !== undefined) event.acceptedAt = acceptedAt;
    this.metrics.of(app.id).triggers += 1;
    const cacheSeconds = channel.isCache ? this.settings.cacheTtlSeconds : undefined;
    if (cacheSeconds !== undefined || history !== undefined)
      this.kept.keep(app.id, channel.name, {
        bytes: Buffer.byteLength(text),
        cacheSeconds,
        history,
        text: sent.text,
      });
    try {
      const position = this.broker.publish(event, cacheSeconds);
      this.tap.observer?.sent(event, position);
      return position;
    } catch (error) {
      // A synchronous throw would leave the other promises unhandled.
      return Promise.reject(error);
    }
  }
}
