import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Observed, ObservedEvent, ObservedRefusal } from 'rookery/channels';
import { ownText } from '#common';
import { ConsoleSettings } from '../console.options.js';
import { EventLog, ofClient, passedHere, type RecordSlot, sentHere } from './event-log.js';
import { Ring } from './ring.js';

/** Rings keep references to what exists anyway, and encode it only when the console asks. */
export interface Recorded {
  readonly order: number;
  readonly at: number;
}

export interface RecordedStep extends Recorded {
  readonly observed: Observed;
  readonly channels?: readonly string[] | undefined;
}

export interface RecordedRefusal extends Recorded {
  readonly refusal: ObservedRefusal;
}

/**
 * At most this many events a second are kept. At such rates the rings would span seconds only, and keeping every event
 * would slow down its delivery.
 */
const maxEventsPerSecond = 2000;
/** The most channels of an ended connection that are kept. */
const maxChannels = 50;
const maxText = 500;
const maxPayload = 10_240;
/** What an entry keeps besides its texts, at most; a text keeps at most two bytes a character. */
const overheadBytes = 400;

/** Keeps the recent activities of this process, in bounded memory; TraceAnswers reads them. */
@Injectable()
export class Trace implements OnApplicationBootstrap, OnApplicationShutdown {
  /** When events were last left out because there were too many in a second, in epoch milliseconds; 0: never. */
  skippedAt = 0;
  private readonly begun = Date.now();
  private order = 0;
  private room = maxEventsPerSecond;
  private refilling: NodeJS.Timeout | undefined;
  readonly events: EventLog;
  /** The event that was kept last. */
  private last: { readonly event: ObservedEvent; readonly position: string; readonly place: RecordSlot } | undefined;
  readonly steps: Ring<RecordedStep>;
  readonly attempts: Ring<RecordedStep>;
  readonly refusals: Ring<RecordedRefusal>;

  constructor(private readonly settings: ConsoleSettings) {
    const share = settings.traceBytes / 16;
    this.events = new EventLog(10 * share);
    this.steps = new Ring(4 * share);
    // In rings of their own: clients that are refused again and again push out nothing else.
    this.attempts = new Ring(share);
    this.refusals = new Ring(share);
  }

  onApplicationBootstrap(): void {
    if (this.isOn) this.refilling = setInterval(() => this.refill(), 1000).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.refilling);
  }

  /** The count of the latest activity. */
  get latest(): number {
    return this.order;
  }

  get isOn(): boolean {
    return this.settings.traceBytes > 0;
  }

  /** Whether another event can be kept in this second. */
  get hasRoom(): boolean {
    return this.room > 0;
  }

  /** Since when the steps of connections are complete, in epoch milliseconds. */
  get since(): number {
    return this.steps.hasDropped ? oldestIn(this.steps) : this.begun;
  }

  /** Since when events are kept, but for those {@link skippedAt}. */
  get eventsSince(): number {
    return (this.events.hasDropped ? this.events.oldestAt : undefined) ?? this.begun;
  }

  /**
   * @param position empty if it is unknown
   * @returns the count of the activity in its process
   */
  sent(event: ObservedEvent, position: string, isOfClient: boolean): number {
    const flags = isOfClient ? sentHere | ofClient : sentHere;
    const { last } = this;
    // With one process, an event has just passed to its subscribers.
    if (last?.event === event && last.position === position) this.events.flag(last.place, flags);
    else if (this.hasRoom) this.keepEvent(event, position, flags);
    return this.order;
  }

  passed(event: ObservedEvent, position: string): void {
    if (this.hasRoom) this.keepEvent(event, position, passedHere);
  }

  /** @returns the count of the activity in its process */
  add(observed: Observed, at: number): number {
    const { kind, channels } = observed;
    const order = ++this.order;
    if (kind === 'webhook') this.keepAttempt({ order, at, observed });
    else if (channels) {
      const names = channels.size > maxChannels ? undefined : [...channels.keys()];
      this.keepStep({ order, at, observed: { ...observed, channels: undefined }, channels: names });
    } else this.keepStep({ order, at, observed: kind === 'error' ? shortened(observed) : observed });
    return order;
  }

  /** @returns the count of the activity in its process */
  refused(refusal: ObservedRefusal, at: number): number {
    const { appId = '', key, remoteAddress, origin = '', message } = refusal;
    const characters = [appId, key, remoteAddress, origin, message].reduce((sum, text) => sum + text.length, 0);
    this.refusals.add({ order: ++this.order, at, refusal }, overheadBytes + 2 * characters);
    return this.order;
  }

  private keepEvent(event: ObservedEvent, position: string, flags: number): void {
    const now = Date.now();
    if (--this.room === 0) this.skippedAt = now;
    const place = this.events.add(event, position, flags, ++this.order, now);
    this.last = place && { event, position, place };
  }

  private keepAttempt({ observed, ...when }: RecordedStep): void {
    const { url, events, error, answer = '' } = observed.webhook!;
    const data = observed.data && shortText(observed.data, maxPayload);
    const texts = [url, ...events, error ?? '', answer, data ?? ''];
    const characters = texts.reduce((sum, text) => sum + text.length + 8, 0);
    this.attempts.add({ ...when, observed: { ...observed, ...(data && { data }) } }, overheadBytes + 2 * characters);
  }

  private keepStep(step: RecordedStep): void {
    const { channel = '', userId = '', message = '' } = step.observed;
    const characters = channel.length + userId.length + message.length;
    const ofChannels = step.channels?.reduce((sum, name) => sum + name.length + 8, 0) ?? 0;
    this.steps.add(step, overheadBytes + 2 * (characters + ofChannels));
  }

  private refill(): void {
    if (this.room <= 0) this.skippedAt = Date.now();
    this.room = maxEventsPerSecond;
  }
}

function oldestIn(ring: Iterable<Recorded>): number {
  for (const { at } of ring) return at;
  return Date.now();
}

const shortText = (text: string, most: number): string => (text.length > most ? ownText(text.slice(0, most)) : text);

/** A refused message's texts may be a hostile client's. */
const shortened = (observed: Observed): Observed => ({
  ...observed,
  channel: observed.channel && ownText(observed.channel.slice(0, maxText)),
  ...(observed.message !== undefined && { message: ownText(observed.message.slice(0, maxText)) }),
});
