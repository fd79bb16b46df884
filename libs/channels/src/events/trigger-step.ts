import type { App } from '../app/app.js';
import type { ChannelName } from '../protocol/channel-name.js';
import type { CheckedEvent } from './trigger-request.js';

/** An event that a server triggers, fully checked. */
export interface TriggeredEvent {
  readonly name: string;
  readonly data: string;
  readonly channels: readonly ChannelName[];
  readonly socketId?: string | undefined;
}

/** What a feature does with the events that servers trigger, before they are published. */
export interface TriggerStep {
  /**
   * What it makes of an event that was checked.
   * @throws ChannelsApiError that refuses the request
   */
  checked?(app: App, event: CheckedEvent): CheckedEvent;
  /**
   * The events are published once it resolves.
   * @returns undefined, at once, where the feature has nothing to do with them
   */
  before?(app: App, events: readonly TriggeredEvent[]): Promise<void> | undefined;
}

/** The steps before all triggers. */
export class TriggerSteps {
  constructor(private readonly all: readonly TriggerStep[]) {}

  /** @throws ChannelsApiError that refuses the request */
  checked(app: App, event: CheckedEvent): CheckedEvent {
    let made = event;
    for (const step of this.all) if (step.checked) made = step.checked(app, made);
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
}
