import type { App } from '../app/app.js';

/** An event that a client sent to a channel. */
export interface PublishedClientEvent {
  readonly name: string;
  readonly channel: string;
  /** The text of the data, as sent. */
  readonly data: string;
}

/** What a feature does with the events that clients send, once they are authorized and published. */
export interface ClientEventStep {
  /** Must not throw or wait. */
  after(app: App, event: PublishedClientEvent): void;
}

/** The steps after all client events. */
export class ClientEventSteps {
  constructor(private readonly all: readonly ClientEventStep[]) {}

  after(app: App, event: PublishedClientEvent): void {
    for (const step of this.all) step.after(app, event);
  }
}
