import { Injectable } from '@nestjs/common';
import type { Observed } from 'rookery/channels';
import type { Activity } from '../contract.js';
import { eventIdOf } from './activity.js';

/** An event sent by this process, or delivered to its subscribers, or both. */
export interface TracedEvent {
  /** Its position as sent here. */
  activity?: Activity;
  /** When it was delivered to this process's subscribers, by step of the trace; absent: it was not. */
  passed?: { readonly order: number; readonly at: number };
}

/** A step in a connection's story. */
export interface Step {
  readonly order: number;
  readonly activity: Activity;
  /** The channels of an ended connection. */
  readonly channels?: readonly string[];
  readonly replayedTo?: string;
  readonly remembered?: string;
}

const mostEvents = 1000;
const mostSteps = 5000;
const mostTries = 200;

/** Recent activities in this process, kept while a viewer is active, in bounded memory. */
@Injectable()
export class Trace {
  /** Since when connections' steps are complete, in epoch milliseconds; 0 while nothing is kept. */
  since = 0;
  private order = 0;
  private readonly events = new Map<string, TracedEvent>();
  private readonly steps = new Set<Step>();
  private readonly tries = new Set<{ readonly appId: string; readonly activity: Activity }>();
  private readonly apps = new WeakMap<Step, string>();

  begin(now: number): void {
    if (this.since === 0) this.since = now;
  }

  end(): void {
    this.since = 0;
    this.events.clear();
    this.steps.clear();
    this.tries.clear();
  }

  add(observed: Observed, activity: Activity): void {
    const { appId, kind, socketId, channels, replayedTo, remembered } = observed;
    if (kind === 'webhook') keep(this.tries, { appId, activity }, mostTries);
    if (kind === 'event' || kind === 'client_event') this.event(appId, activity.id).activity = activity;
    else if (socketId !== undefined) {
      const step: Step = {
        order: ++this.order,
        activity,
        ...(channels && { channels }),
        ...(replayedTo !== undefined && { replayedTo }),
        ...(remembered !== undefined && { remembered }),
      };
      this.apps.set(step, appId);
      const dropped = keep(this.steps, step, mostSteps);
      if (dropped) this.since = dropped.activity.at;
    }
  }

  passed(appId: string, channel: string, position: string, at: number): void {
    this.event(appId, eventIdOf(channel, position)).passed = { order: ++this.order, at };
  }

  find(appId: string, id: string): TracedEvent | undefined {
    return this.events.get(keyOf(appId, id));
  }

  /** The steps of a connection, in order. */
  stepsOf(appId: string, socketId: string): readonly Step[] {
    return [...this.steps].filter((step) => step.activity.socketId === socketId && this.apps.get(step) === appId);
  }

  /** The user's connections. */
  socketsOf(appId: string, userId: string): readonly string[] {
    const steps = [...this.steps].filter((step) => step.activity.userId === userId && this.apps.get(step) === appId);
    return [...new Set(steps.map(({ activity }) => activity.socketId!))];
  }

  /** Delivery attempts of an app's webhooks, latest first. */
  triesOf(appId: string): readonly Activity[] {
    const own = [...this.tries].filter((each) => each.appId === appId);
    return own.map(({ activity }) => activity).toReversed();
  }

  private event(appId: string, id: string): TracedEvent {
    const key = keyOf(appId, id);
    let event = this.events.get(key);
    if (event) return event;
    event = {};
    this.events.set(key, event);
    if (this.events.size > mostEvents) this.events.delete(this.events.keys().next().value!);
    return event;
  }
}

const keyOf = (appId: string, id: string): string => `${appId.length} ${appId} ${id}`;

/** @returns the entries evicted for it */
function keep<T>(all: Set<T>, one: T, most: number): T | undefined {
  all.add(one);
  if (all.size <= most) return undefined;
  const [first] = all;
  if (first !== undefined) all.delete(first);
  return first;
}
