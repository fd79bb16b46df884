import { Injectable } from '@nestjs/common';
import { ThisNode } from '#common';
import type { Activity, RefusedConnection } from '../contract.js';
import { activityOf, countIn, eventActivityOf, eventIn, refusalActivityOf, withoutPayload } from './activity.js';
import type { LoggedEvent } from './event-log.js';
import { type Recorded, type RecordedStep, Trace } from './trace.js';

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
    let passed: LoggedEvent | undefined;
    for (const logged of this.trace.events.at(position)) {
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
    const found: { readonly order: number; readonly activity: Activity }[] = [];
    for (const entries of this.activitiesOf(appId)) {
      let [searched, wanted] = [0, 0];
      for (const { order, make } of entries) {
        if (++searched > maxSearched || wanted === most) break;
        const activity = make();
        if (isWanted(activity)) wanted = found.push({ order, activity }) && wanted + 1;
      }
    }
    const latestFirst = found.toSorted(
      (left, right) => right.activity.at - left.activity.at || right.order - left.order,
    );
    return latestFirst.slice(0, most).map(({ activity }) => activity);
  }

  /** The steps of a connection, in order. */
  stepsOf(appId: string, socketId: string): readonly Step[] {
    return [...this.trace.steps]
      .filter(({ observed }) => observed.socketId === socketId && observed.appId === appId)
      .map((kept) => this.step(kept));
  }

  /** The latest that was recorded after a count; and whether these are all steps. */
  after(count: number, maxSteps: number, maxEvents: number) {
    const lines: ArchivedLine[] = [];
    // Unless an earlier one is still there, some may have made room.
    let hasAllSteps = !this.trace.steps.hasDropped;
    for (const kept of this.trace.steps.backwards()) {
      const isEarlier = kept.order <= count;
      if (isEarlier || lines.length === maxSteps) {
        hasAllSteps = isEarlier;
        break;
      }
      lines.push({ appId: kept.observed.appId, step: withoutData(this.step(kept)) });
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
    const own = [...this.trace.steps].filter(({ observed }) => observed.userId === userId && observed.appId === appId);
    return [...new Set(own.flatMap(({ observed: { socketId } }) => socketId ?? []))];
  }

  /** The latest steps of a user, and of these and of the user's former connections; the latest first. */
  ofUser(appId: string, userId: string, sockets: ReadonlySet<string>, most: number): readonly Activity[] {
    const all = new Set([...sockets, ...this.socketsOf(appId, userId)]);
    const found: Activity[] = [];
    for (const kept of this.trace.steps.backwards()) {
      const { observed } = kept;
      const isOfUser = observed.userId === userId || all.has(observed.socketId ?? '');
      if (observed.appId === appId && isOfUser) found.push(activityOf(observed, this.observation(kept)));
      if (found.length === most) break;
    }
    return found;
  }

  /** The apps in which the connection or the user was. */
  appsOf({ socketId, userId }: { readonly socketId?: string; readonly userId?: string }): readonly string[] {
    const isAsked = ({ observed }: RecordedStep): boolean =>
      socketId === undefined ? observed.userId === userId : observed.socketId === socketId;
    return [...new Set([...this.trace.steps].filter(isAsked).map(({ observed }) => observed.appId))];
  }

  /** Delivery attempts of an app's webhooks, the latest first. */
  triesOf(appId: string, most: number): readonly Activity[] {
    const found: Activity[] = [];
    for (const kept of this.trace.attempts.backwards()) {
      if (found.length === most) break;
      if (kept.observed.appId === appId) found.push(activityOf(kept.observed, this.observation(kept)));
    }
    return found;
  }

  /** The connections that the app refused, and those with a key that no app has, the latest first. */
  refusalsOf(appId: string, most: number): readonly RefusedConnection[] {
    const found: RefusedConnection[] = [];
    for (const { at, refusal } of this.trace.refusals.backwards()) {
      if (found.length === most) break;
      const { appId: own, ...more } = refusal;
      if (own === undefined || own === appId)
        found.push({ at, node: this.node.id, ...more, isOfApp: own !== undefined, origin: more.origin ?? null });
    }
    return found;
  }

  /** The entries of each ring, the latest first. */
  private activitiesOf(appId: string): Iterable<{ readonly order: number; make(): Activity }>[] {
    const made = function* <T extends Recorded>(
      kept: Iterable<T>,
      isOwnOf: (each: T) => boolean,
      makeOf: (each: T) => Activity,
    ): Iterable<{ readonly order: number; make(): Activity }> {
      for (const each of kept) if (isOwnOf(each)) yield { order: each.order, make: () => makeOf(each) };
    };
    const isOwn = ({ observed }: RecordedStep): boolean => observed.appId === appId;
    const make = (kept: RecordedStep): Activity => activityOf(kept.observed, this.observation(kept));
    return [
      made(
        this.trace.events.backwards(),
        (logged) => logged.isSent && logged.appId === appId,
        (logged) => this.eventActivity(logged),
      ),
      made(this.trace.steps.backwards(), isOwn, make),
      made(this.trace.attempts.backwards(), isOwn, make),
      made(
        this.trace.refusals.backwards(),
        ({ refusal }) => refusal.appId === appId,
        (kept) => refusalActivityOf(kept.refusal, this.observation(kept)),
      ),
    ];
  }

  private step(kept: RecordedStep): Step {
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

  private observation({ at, order }: Recorded) {
    return { node: this.node.id, at, count: order };
  }
}

const withoutData = (step: Step): Step => ({ ...step, activity: withoutPayload(step.activity) });
