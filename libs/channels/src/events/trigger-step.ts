import type { App } from '../app/app.js';
import type { ChannelName } from '../protocol/channel-name.js';
import { type CheckedEvent, countAttributes, type RequestExtensions, type RequestFields } from './trigger-request.js';

/** An event that a server triggers, fully checked. */
export interface TriggeredEvent {
  readonly name: string;
  readonly data: string;
  readonly channels: readonly ChannelName[];
  readonly socketId?: string | undefined;
}

/** What a feature does with the calls of servers: above all with events, before they are published. */
export interface TriggerStep {
  /** What `info` may request of the feature. */
  readonly attributes?: readonly string[];
  /**
   * Checks the feature's own fields of a request, before `info` is read.
   * @throws ChannelsApiError that refuses the request
   */
  checkFields?(given: RequestFields): void;
  /**
   * Returns the event to publish, once the core has checked it.
   * @throws ChannelsApiError that refuses the request
   */
  prepare?(app: App, event: CheckedEvent): CheckedEvent;
  /**
   * The events are published once it resolves.
   * @returns undefined, at once, where the feature has nothing to do with them
   */
  before?(app: App, events: readonly TriggeredEvent[]): Promise<void> | undefined;
  /** What an event that was kept within a transaction asks of clients: see {@link SentEvent}. */
  asks?(data: string): string | undefined;
  /**
   * A server has closed a user's connections; its call is answered once this resolves.
   * @returns undefined, at once, where the feature has nothing to do
   */
  terminated?(app: App, userId: string): Promise<void> | undefined;
}

/** The steps before all triggers. */
export class TriggerSteps implements RequestExtensions {
  readonly attributes: readonly string[];

  constructor(private readonly all: readonly TriggerStep[]) {
    this.attributes = [...countAttributes, ...all.flatMap(({ attributes = [] }) => attributes)];
  }

  checkFields(given: RequestFields): void {
    for (const step of this.all) step.checkFields?.(given);
  }

  /** @throws ChannelsApiError that refuses the request */
  prepare(app: App, event: CheckedEvent): CheckedEvent {
    let made = event;
    for (const step of this.all) if (step.prepare) made = step.prepare(app, made);
    return made;
  }

  /** @returns undefined where no step has anything to do */
  before(app: App, events: readonly TriggeredEvent[]): Promise<unknown> | undefined {
    let taken: Promise<void>[] | undefined;
    for (const step of this.all) {
      const one = step.before?.(app, events);
      if (one) (taken ??= []).push(one);
    }
    return taken && Promise.all(taken);
  }

  async terminated(app: App, userId: string): Promise<void> {
    for (const step of this.all) await step.terminated?.(app, userId);
  }

  asks(data: string): string | undefined {
    for (const step of this.all) {
      const asked = step.asks?.(data);
      if (asked !== undefined) return asked;
    }
    return undefined;
  }
}
