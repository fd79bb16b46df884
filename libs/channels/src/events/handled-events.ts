import { Injectable } from '@nestjs/common';
import type { App } from '../app/app.js';
import { limitsOf } from '../app/app-limits.js';
import type { BrokerEvent, Position } from '../broker/broker.js';
import { invalidUserId } from '../channels.errors.js';
import { ChannelsSettings } from '../channels.options.js';
import type { OnSent } from '../frames/frame.js';
import { isUserId } from '../protocol/user-id.js';
import { EventSender } from './event-sender.js';
import { type CheckedEvent, checkTrigger } from './trigger-request.js';

/** A client of this process has handled an event: it answered a ping that was sent after the event. */
export interface HandledEvent {
  readonly appId: string;
  /** The id given to {@link HandledEvents.send}. */
  readonly id: string;
}

/** Sends events to users and asks their clients to acknowledge them. */
@Injectable()
export class HandledEvents {
  private readonly kinds = new Map<string, (event: BrokerEvent, id: string) => OnSent>();

  constructor(
    private readonly sender: EventSender,
    private readonly settings: ChannelsSettings,
  ) {}

  /**
   * Checks an event for a user (api § Event, § Limits).
   * @throws ChannelsApiError 400 or 413
   */
  check(app: App, userId: unknown, event: { readonly name?: unknown; readonly data?: unknown }): CheckedEvent {
    const limits = limitsOf(app, this.settings.limits);
    if (!isUserId(userId, limits.userIdLength)) throw invalidUserId(userId);
    return checkTrigger({ name: event.name, data: event.data, channel: `#server-to-user-${userId}` }, limits);
  }

  /**
   * Sends a checked event to the user's clients, on every process.
   * @param id passed to {@link listen}ers in the process of each client that handles the event; without it, no client
   *   is asked
   */
  async send(app: App, { name, data, channels }: CheckedEvent, id?: string): Promise<Position> {
    return this.sender.send(app, channels[0]!, { name, data, asks: id });
  }

  /** Sets the one listener of this process. */
  listen(handled: (event: HandledEvent) => void): void {
    this.whenSent(
      '',
      ({ appId }, id) =>
        (connection) =>
          connection.ask(() => handled({ appId, id })),
    );
  }

  /**
   * Registers what runs for each connection after it was sent an event that asks a question of this kind.
   * @param kind of the questions: the word before the id in `asks`, or '' where there is none
   */
  whenSent(kind: string, onSent: (event: BrokerEvent, id: string) => OnSent): void {
    this.kinds.set(kind, onSent);
  }

  /** What to do for each connection that is sent the event; undefined if clients are not asked. */
  onSent(event: BrokerEvent): OnSent | undefined {
    const { asks } = event;
    if (asks === undefined) return undefined;
    const kind = asks.slice(0, Math.max(asks.indexOf(' '), 0));
    const ofKind = kind === '' ? undefined : this.kinds.get(kind);
    return ofKind ? ofKind(event, asks.slice(kind.length + 1)) : this.kinds.get('')?.(event, asks);
  }
}
