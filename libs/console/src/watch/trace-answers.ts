import { Injectable } from '@nestjs/common';
import { ThisNode } from 'rookery/internal/common';
import type { Observed } from 'rookery/internal/channels';
import type { Activity, RefusedConnection } from '../contract/index.js';
import { activityOf, countIn, eventActivityOf, eventIn, withoutPayload } from './activity.js';
import { type Recorded, type RecordedEvent, type RecordedKind, recordedKinds, Trace } from './trace.js';

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

/** A step of a connection, or an event that was sent, or delivered to the process's subscribers; without payloads. */
export type ArchivedLine =
  | { readonly appId: string; readonly step: Step }
  | {
      readonly appId: string;
      readonly event: Activity;
      readonly isSent: boolean;
      /** When it was delivered, among the steps. */
      readonly passed?: { readonly order: number; readonly at: number };
    };

/** Up to where a viewer knows the activities of an app in this process. */
export interface TraceCursor {
  readonly order: number;
  /** How many events were left out until then, because they were too many. */
  readonly skipped: number;
}

/** How many of the latest entries of each ring are searched for {@link TraceAnswers.recent}. */
const maxSearched = 5000;

/** Answers about the recent activities of this process. */
@Injectable()
export class TraceAnswers {
  constructor(
    private readonly trace: Trace,
    private readonly node: ThisNode,
  ) {}

  find(appId: string, id: string): TracedEvent | undefined {
    const { position = '' } = eventIn(id) ?? {};
    let sent: Activity | undefined;
    let passed: RecordedEvent | undefined;
    for (const logged of this.trace.events) {
      if (logged.position !== position || logged.appId !== appId) continue;
      const activity = this.eventActivity(logged);
      if (activity.id !== id) continue;
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
      for (const each of entries) if (each.order === count) return this.made(each);
    return undefined;
  }

  /** Where a viewer is who knows all of an app's activities so far. */
  cursorOf(appId: string): TraceCursor {
    return { order: this.trace.latest, skipped: this.trace.skippedOf(appId) };
  }

  /** The latest matching activities of an app, after that count; the latest first. */
  recent(appId: string, isWanted: (activity: Activity) => boolean, most: number, after = 0): readonly Activity[] {
    const found: { readonly order: number; readonly activity: Activity }[] = [];
    for (const entries of this.activitiesOf(appId)) {
      let [searched, wanted] = [0, 0];
      for (const each of entries) {
        if (each.order <= after || ++searched > maxSearched || wanted === most) break;
        const activity = this.made(each);
        if (isWanted(activity)) wanted = found.push({ order: each.order, activity }) && wanted + 1;
      }
    }
    const latestFirst = found.toSorted(
      (left, right) => right.activity.at - left.activity.at || right.order - left.order,
    );
    return latestFirst.slice(0, most).map(({ activity }) => activity);
  }

  /** The steps and requests of a connection, in order. */
  stepsOf(appId: string, socketId: string): readonly Step[] {
    const isOwn = (each: Observed): boolean => each.socketId === socketId && each.appId === appId;
    const own = [...this.trace.recorded('steps', isOwn), ...this.trace.recorded('requests', isOwn)];
    return own.toSorted((left, right) => left.order - right.order).map((kept) => this.step(kept));
  }

  /** The latest that was recorded after a count; and whether these are all steps. */
  after(count: number, maxSteps: number, maxEvents: number) {
    const lines: ArchivedLine[] = [];
    // Unless an earlier one is still there, some may have made room.
    let { hasAllSteps } = this.trace;
    for (const kept of this.trace.recorded('steps', isAny)) {
      const isEarlier = kept.order <= count;
      if (isEarlier || lines.length === maxSteps) {
        hasAllSteps = isEarlier;
        break;
      }
      lines.push({ appId: kept.observed.appId!, step: withoutData(this.step(kept)) });
    }
    let events = 0;
    for (const logged of this.trace.events.backwards()) {
      if (logged.order <= count || ++events > maxEvents) break;
      const { appId, isSent, isPassed, order, at } = logged;
      const event = withoutPayload(this.eventActivity(logged));
      lines.push({ appId, event, isSent, ...(isPassed && { passed: { order, at } }) });
    }
    return { lines, hasAllSteps };
  }

  /** The user's connections. */
  socketsOf(appId: string, userId: string): readonly string[] {
    const own = this.trace.recorded('steps', (each) => each.userId === userId && each.appId === appId);
    return distinct([...own].toReversed().map(({ observed }) => observed.socketId));
  }

  /** The apps in which the connection or the user was. */
  appsOf({ socketId, userId }: { readonly socketId?: string; readonly userId?: string }): readonly string[] {
    const asked = this.trace.recorded('steps', (each) =>
      socketId === undefined ? each.userId === userId : each.socketId === socketId,
    );
    return distinct([...asked].toReversed().map(({ observed }) => observed.appId));
  }

  /** Delivery attempts of an app's webhooks, the latest first. */
  triesOf(appId: string, most: number): readonly Activity[] {
    return this.latest('attempts', most, (each) => each.appId === appId);
  }

  /** The connections that the app refused, and those with a key that no app has, the latest first. */
  refusalsOf(appId: string, most: number): readonly RefusedConnection[] {
    const all = this.trace.recorded('refusals', (each) => each.appId === undefined || each.appId === appId);
    return take(all, most).map(({ at, observed: { appId: own, code = null, message = '', refusal } }) => {
      const { key, remoteAddress, origin = null } = refusal!;
      return { at, node: this.node.id, key, remoteAddress, origin, code, message, isOfApp: own !== undefined };
    });
  }

  made(kept: Recorded | RecordedEvent): Activity {
    return 'observed' in kept ? activityOf(kept.observed, this.observation(kept)) : this.eventActivity(kept);
  }

  private latest(kind: RecordedKind, most: number, isAsked: (observed: Observed) => boolean): readonly Activity[] {
    return take(this.trace.recorded(kind, isAsked), most).map((kept) => this.made(kept));
  }

  /** What the app's activities are made of, by kind; the latest first. */
  private activitiesOf(appId: string): Iterable<Recorded | RecordedEvent>[] {
    const { events } = this.trace;
    const isOwn = (each: Observed): boolean => each.appId === appId;
    const ofKinds = recordedKinds.map((kind) => this.trace.recorded(kind, isOwn));
    return [filtered(events.backwards(), (logged) => logged.isSent && logged.appId === appId), ...ofKinds];
  }

  private step(kept: Recorded): Step {
    const { replayedTo, remembered } = kept.observed;
    return {
      order: kept.order,
      activity: this.made(kept),
      ...(kept.channels && { channels: kept.channels }),
      ...(replayedTo !== undefined && { replayedTo }),
      ...(remembered !== undefined && { remembered }),
    };
  }

  private eventActivity(logged: RecordedEvent): Activity {
    return eventActivityOf(logged, logged.position, logged.isOfClient, this.observation(logged));
  }

  private observation({ at, order }: Pick<Recorded, 'at' | 'order'>) {
    return { node: this.node.id, at, count: order };
  }
}

const isAny = (): boolean => true;

function* filtered<T>(all: Iterable<T>, isWanted: (each: T) => boolean): IterableIterator<T> {
  for (const each of all) if (isWanted(each)) yield each;
}

function take<T>(all: Iterable<T>, most: number): T[] {
  const taken: T[] = [];
  for (const each of all) if (taken.push(each) >= most) break;
  return taken;
}

const distinct = (all: readonly (string | undefined)[]): readonly string[] => [
  ...new Set(all.filter((each) => each !== undefined)),
];

const withoutData = (step: Step): Step => ({ ...step, activity: withoutPayload(step.activity) });
