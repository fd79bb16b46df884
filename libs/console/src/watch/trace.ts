import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Observed, ObservedEvent, ObservedRefusal } from 'rookery/channels';
import { ownText, ThisNode } from 'rookery/common';
import { ConsoleSettings } from '../console.options.js';
import type { Activity, RefusedConnection } from '../contract.js';
import { activityOf, countIn, eventActivityOf, eventIn, refusalActivityOf } from './activity.js';
import { EventLog, type LoggedEvent, ofClient, passedHere, type Place, sentHere } from './event-log.js';
import { Ring } from './ring.js';

/** An event sent by this process, or delivered to its subscribers, or both. */
export interface TracedEvent {
  /** The event as sent here. */
  readonly activity?: Activity;
  /** When it was delivered to this process's subscribers, by step of the trace; absent: it was not. */
  readonly passed?: { readonly order: number; readonly at: number };
}

/** A step in a connection's story. */
export interface Step {
  readonly order: number;
  readonly activity: Activity;
  /** The channels of an ended connection, unless they were many. */
  readonly channels?: readonly string[];
  readonly replayedTo?: string;
  readonly remembered?: string;
}

/** Rings keep references to what exists anyway, and encode it only when the console asks. */
interface Kept {
  readonly order: number;
  readonly at: number;
}

interface KeptStep extends Kept {
  readonly observed: Observed;
  readonly channels?: readonly string[] | undefined;
}

interface KeptRefusal extends Kept {
  readonly refusal: ObservedRefusal;
}

/**
 * At most this many events a second are kept. At such rates the rings would span seconds only, and keeping every event
 * would slow down its delivery.
 */
const mostEventsPerSecond = 2000;
/** The most channels of an ended connection that are kept. */
const mostChannels = 50;
const mostText = 500;
const mostPayload = 10_240;
/** How many of the latest entries of each ring are searched for {@link Trace.recent}. */
const mostSearched = 5000;
/** What an entry keeps besides its texts, at most; a text keeps at most two bytes a character. */
const overheadBytes = 400;

/** Recent activities in this process, in bounded memory. */
@Injectable()
export class Trace implements OnApplicationBootstrap, OnApplicationShutdown {
  /** When events were last left out because there were too many in a second, in epoch milliseconds; 0: never. */
  skippedAt = 0;
  private readonly begun = Date.now();
  private order = 0;
  private room = mostEventsPerSecond;
  private refilling: NodeJS.Timeout | undefined;
  private readonly events: EventLog;
  /** The event that was kept last. */
  private last: { readonly event: ObservedEvent; readonly position: string; readonly place: Place } | undefined;
  private readonly steps: Ring<KeptStep>;
  private readonly attempts: Ring<KeptStep>;
  private readonly refusals: Ring<KeptRefusal>;

  constructor(
    private readonly settings: ConsoleSettings,
    private readonly node: ThisNode,
  ) {
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
      const names = channels.size > mostChannels ? undefined : [...channels.keys()];
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

  find(appId: string, id: string): TracedEvent | undefined {
    const { position = '' } = eventIn(id) ?? {};
    let sent: Activity | undefined;
    let passed: LoggedEvent | undefined;
    for (const logged of this.events.at(position)) {
      const activity = this.eventActivity(logged);
      if (logged.appId !== appId || activity.id !== id) continue;
      if (logged.isSent) sent = activity;
      if (logged.isPassed) passed = logged;
    }
    if (!sent && !passed) return undefined;
    return {
      ...(sent && { activity: sent }),
      ...(passed && { passed: { order: passed.order, at: passed.at } }),
    };
  }

  /** Any activity in this process, by its id. */
  activity(appId: string, id: string): Activity | undefined {
    if (eventIn(id)) return this.find(appId, id)?.activity;
    const count = countIn(id, this.node.id);
    for (const entries of count === undefined ? [] : this.activitiesOf(appId))
      for (const { order, make } of entries) if (order === count) return make();
    return undefined;
  }

  /** The latest matching activities of an app, the latest first. */
  recent(appId: string, isWanted: (activity: Activity) => boolean, most: number): readonly Activity[] {
    const found: Activity[] = [];
    for (const entries of this.activitiesOf(appId)) {
      let [searched, wanted] = [0, 0];
      for (const { make } of entries) {
        if (++searched > mostSearched || wanted === most) break;
        const activity = make();
        if (isWanted(activity)) wanted = found.push(activity) && wanted + 1;
      }
    }
    return found.toSorted((left, right) => right.at - left.at).slice(0, most);
  }

  /** The steps of a connection, in order. */
  stepsOf(appId: string, socketId: string): readonly Step[] {
    return [...this.steps]
      .filter(({ observed }) => observed.socketId === socketId && observed.appId === appId)
      .map((kept) => this.step(kept));
  }

  /** The user's connections. */
  socketsOf(appId: string, userId: string): readonly string[] {
    const own = [...this.steps].filter(({ observed }) => observed.userId === userId && observed.appId === appId);
    return [...new Set(own.flatMap(({ observed: { socketId } }) => socketId ?? []))];
  }

  /** The apps in which the connection or the user was. */
  appsOf({ socketId, userId }: { readonly socketId?: string; readonly userId?: string }): readonly string[] {
    const isAsked = ({ observed }: KeptStep): boolean =>
      socketId === undefined ? observed.userId === userId : observed.socketId === socketId;
    return [...new Set([...this.steps].filter(isAsked).map(({ observed }) => observed.appId))];
  }

  /** Delivery attempts of an app's webhooks, the latest first. */
  triesOf(appId: string, most: number): readonly Activity[] {
    const found: Activity[] = [];
    for (const kept of this.attempts.backwards()) {
      if (found.length === most) break;
      if (kept.observed.appId === appId) found.push(activityOf(kept.observed, this.observation(kept)));
    }
    return found;
  }

  /** The connections that the app refused, and those with a key that no app has, the latest first. */
  refusalsOf(appId: string, most: number): readonly RefusedConnection[] {
    const found: RefusedConnection[] = [];
    for (const { at, refusal } of this.refusals.backwards()) {
      if (found.length === most) break;
      const { appId: own, ...more } = refusal;
      if (own === undefined || own === appId)
        found.push({ at, node: this.node.id, ...more, isOfApp: own !== undefined, origin: more.origin ?? null });
    }
    return found;
  }

  /** The entries of each ring, the latest first. */
  private activitiesOf(appId: string): Iterable<{ readonly order: number; make(): Activity }>[] {
    const made = function* <T extends Kept>(
      kept: Iterable<T>,
      isOwnOf: (each: T) => boolean,
      makeOf: (each: T) => Activity,
    ): Iterable<{ readonly order: number; make(): Activity }> {
      for (const each of kept) if (isOwnOf(each)) yield { order: each.order, make: () => makeOf(each) };
    };
    const isOwn = ({ observed }: KeptStep): boolean => observed.appId === appId;
    const make = (kept: KeptStep): Activity => activityOf(kept.observed, this.observation(kept));
    return [
      made(
        this.events.backwards(),
        (logged) => logged.isSent && logged.appId === appId,
        (logged) => this.eventActivity(logged),
      ),
      made(this.steps.backwards(), isOwn, make),
      made(this.attempts.backwards(), isOwn, make),
      made(
        this.refusals.backwards(),
        ({ refusal }) => refusal.appId === appId,
        (kept) => refusalActivityOf(kept.refusal, this.observation(kept)),
      ),
    ];
  }

  private keepEvent(event: ObservedEvent, position: string, flags: number): void {
    const now = Date.now();
    if (--this.room === 0) this.skippedAt = now;
    const place = this.events.add(event, position, flags, ++this.order, now);
    this.last = place && { event, position, place };
  }

  private keepAttempt({ observed, ...when }: KeptStep): void {
    const { url, events, error, answer = '' } = observed.webhook!;
    const data = observed.data && shortText(observed.data, mostPayload);
    const texts = [url, ...events, error ?? '', answer, data ?? ''];
    const characters = texts.reduce((sum, text) => sum + text.length + 8, 0);
    this.attempts.add({ ...when, observed: { ...observed, ...(data && { data }) } }, overheadBytes + 2 * characters);
  }

  private keepStep(step: KeptStep): void {
    const { channel = '', userId = '', message = '' } = step.observed;
    const characters = channel.length + userId.length + message.length;
    const ofChannels = step.channels?.reduce((sum, name) => sum + name.length + 8, 0) ?? 0;
    this.steps.add(step, overheadBytes + 2 * (characters + ofChannels));
  }

  private refill(): void {
    if (this.room <= 0) this.skippedAt = Date.now();
    this.room = mostEventsPerSecond;
  }

  private step(kept: KeptStep): Step {
    const { replayedTo, remembered } = kept.observed;
    return {
      order: kept.order,
      activity: activityOf(kept.observed, this.observation(kept)),
      ...(kept.channels && { channels: kept.channels }),
      ...(replayedTo !== undefined && { replayedTo }),
      ...(remembered !== undefined && { remembered }),
    };
  }

  private eventActivity(logged: LoggedEvent): Activity {
    return eventActivityOf(logged, logged.position, logged.isOfClient, this.observation(logged));
  }

  private observation({ at, order }: Kept) {
    return { node: this.node.id, at, count: order };
  }
}

function oldestIn(ring: Iterable<Kept>): number {
  for (const { at } of ring) return at;
  return Date.now();
}

const shortText = (text: string, most: number): string => (text.length > most ? ownText(text.slice(0, most)) : text);

/** A refused message's texts may be a hostile client's. */
const shortened = (observed: Observed): Observed => ({
  ...observed,
  channel: observed.channel && ownText(observed.channel.slice(0, mostText)),
  ...(observed.message !== undefined && { message: ownText(observed.message.slice(0, mostText)) }),
});
