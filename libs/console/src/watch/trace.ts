import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Observed, ObservedEvent } from 'rookery/internal/channels';
import { ownText } from 'rookery/internal/common';
import { ConsoleSettings } from '../console.options.js';
import { Ring } from './ring.js';

/** Rings keep references to what exists anyway, and encode it only when the console asks. */
export interface Recorded {
  readonly order: number;
  readonly at: number;
  readonly observed: Observed;
  /** Of an ended connection, unless they were many. */
  readonly channels: readonly string[] | undefined;
}

/** An event that this process sent, or delivered to its subscribers, or both; its text is as they received it. */
export interface RecordedEvent {
  readonly order: number;
  readonly at: number;
  readonly appId: string;
  /** Empty if it is unknown. */
  readonly position: string;
  readonly except: string;
  readonly text: string;
  isSent: boolean;
  isOfClient: boolean;
  readonly isPassed: boolean;
}

/** What must not push out anything else, however often it happens, is recorded in a ring of its own. */
export const recordedKinds = ['steps', 'requests', 'attempts', 'refusals'] as const;
export type RecordedKind = (typeof recordedKinds)[number];

/**
 * At most this many events a second are kept. At such rates the rings would span seconds only, and keeping every event
 * would slow down its delivery.
 */
const maxEventsPerSecond = 2000;
/** The most channels of an ended connection that are kept. */
const maxChannels = 50;
const maxText = 500;
const maxPayload = 10_240;
/** Maximum size of an entry without its strings, which take at most two bytes a character. */
const overheadBytes = 400;
const eventOverheadBytes = 200;

/** Keeps the recent activities of this process, in bounded memory; TraceAnswers reads them. */
@Injectable()
export class Trace implements OnApplicationBootstrap, OnApplicationShutdown {
  /** When events were last left out because there were too many in a second, in epoch milliseconds; 0: never. */
  skippedAt = 0;
  private readonly begun = Date.now();
  private order = 0;
  private room = maxEventsPerSecond;
  private refilling: NodeJS.Timeout | undefined;
  readonly events: Ring<RecordedEvent>;
  /** How many events of each app were left out. */
  private readonly skipped = new Map<string, number>();
  /** The event that was kept last. */
  private last: { readonly event: ObservedEvent; readonly kept: RecordedEvent } | undefined;
  private readonly rings: Readonly<Record<RecordedKind, Ring<Recorded>>>;

  constructor(private readonly settings: ConsoleSettings) {
    const share = settings.traceBytes / 16;
    this.events = new Ring(9 * share);
    this.rings = {
      steps: new Ring(4 * share),
      requests: new Ring(share),
      attempts: new Ring(share),
      refusals: new Ring(share),
    };
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

  /** Whether all steps of connections since the beginning are there. */
  get hasAllSteps(): boolean {
    return !this.rings.steps.hasDropped;
  }

  /** Since when the steps of connections are complete, in epoch milliseconds. */
  get since(): number {
    return this.beginOf(this.rings.steps);
  }

  /** Likewise their requests. */
  get requestsSince(): number {
    return this.beginOf(this.rings.requests);
  }

  /** Since when events are kept, but for those {@link skippedAt}. */
  get eventsSince(): number {
    return this.beginOf(this.events);
  }

  /** How many events of the app were left out. */
  skippedOf(appId: string): number {
    return this.skipped.get(appId) ?? 0;
  }

  /** @param position absent if it is unknown */
  sent(event: ObservedEvent, position = '', isOfClient = false): void {
    const { last } = this;
    // With one process, an event has just passed to its subscribers.
    if (last?.event === event && last.kept.position === position)
      Object.assign(last.kept, { isSent: true, isOfClient });
    else if (this.hasRoom) this.keepEvent(event, position, { isSent: true, isOfClient, isPassed: false });
    else this.skip(event.appId);
  }

  /** Counts an event that was sent, and for which there is no room. */
  skip(appId: string): void {
    this.skipped.set(appId, this.skippedOf(appId) + 1);
  }

  passed(event: ObservedEvent, position: string): void {
    if (this.hasRoom) this.keepEvent(event, position, { isSent: false, isOfClient: false, isPassed: true });
  }

  add(observed: Observed, at: number): void {
    const order = ++this.order;
    const recorded = { order, at, observed: shortened(observed), channels: channelsOf(observed) };
    this.rings[kindOf(observed)].add(recorded, overheadBytes + 2 * charactersOf(recorded));
  }

  /** What was recorded, the latest first. */
  *recorded(kind: RecordedKind, isAsked: (observed: Observed) => boolean): IterableIterator<Recorded> {
    for (const each of this.rings[kind].backwards()) if (isAsked(each.observed)) yield each;
  }

  private beginOf<T extends { readonly at: number }>(ring: Ring<T>): number {
    return ring.hasDropped ? oldestIn(ring) : this.begun;
  }

  private keepEvent(
    event: ObservedEvent,
    position: string,
    how: Pick<RecordedEvent, 'isSent' | 'isOfClient' | 'isPassed'>,
  ): void {
    const now = Date.now();
    if (--this.room === 0) this.skippedAt = now;
    const { appId, except = '' } = event;
    // It may consist of parts of a request.
    const text = ownText(event.text);
    const kept = { order: ++this.order, at: now, appId, position, except, text, ...how };
    this.events.add(kept, eventOverheadBytes + bytesOf(text));
    this.last = { event, kept };
  }

  private refill(): void {
    if (this.room <= 0) this.skippedAt = Date.now();
    this.room = maxEventsPerSecond;
  }
}

/** Characters of a byte, unless one of them needs two. */
const bytesOf = (text: string): number => (Buffer.byteLength(text) === text.length ? 1 : 2) * text.length;

function oldestIn(ring: Iterable<{ readonly at: number }>): number {
  for (const { at } of ring) return at;
  return Date.now();
}

const kindOf = ({ kind, webhook, refusal }: Observed): RecordedKind =>
  webhook ? 'attempts' : refusal ? 'refusals' : kind === 'request' ? 'requests' : 'steps';

/** As they are now. */
const channelsOf = ({ channels }: Observed): readonly string[] | undefined =>
  channels && channels.size <= maxChannels ? [...channels.keys()] : undefined;

/** A webhook's body may be long, and so may the texts of a refused message or a request, which are a hostile client's. */
function shortened(observed: Observed): Observed {
  const { kind, channel, name, message, data, channels } = observed;
  if (channels) return { ...observed, channels: undefined };
  if (kind === 'error' || kind === 'request')
    return {
      ...observed,
      channel: channel && ownText(channel.slice(0, maxText)),
      ...(name !== undefined && { name: ownText(name.slice(0, maxText)) }),
      ...(message !== undefined && { message: ownText(message.slice(0, maxText)) }),
    };
  return data !== undefined && data.length > maxPayload
    ? { ...observed, data: ownText(data.slice(0, maxPayload)) }
    : observed;
}

function charactersOf({ observed, channels }: Recorded): number {
  const { channel = '', userId = '', name = '', message = '', data = '', webhook, refusal } = observed;
  const own = channel.length + userId.length + name.length + message.length + data.length;
  if (webhook) return own + sumOf([webhook.url, ...webhook.events, webhook.error ?? '', webhook.answer ?? '']);
  if (refusal) return own + sumOf([refusal.key, refusal.remoteAddress, refusal.origin ?? '']);
  return channels ? own + sumOf(channels) : own;
}

const sumOf = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + text.length + 8, 0);
