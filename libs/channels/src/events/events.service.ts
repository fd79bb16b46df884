import { Injectable } from '@nestjs/common';
import { type Awaitable, traced } from '#common';
import type { HostTransaction } from 'rookery/jobs';
import type { App, AppOrId } from '../app/app.js';
import { limitsOf } from '../app/app-limits.js';
import { Apps } from '../access/apps.js';
import type { Position } from '../broker/broker.js';
import { ChannelsService, type ChannelAttributes } from './channels.service.js';
import { ChannelsSettings } from '../channels.options.js';
import { badRequest, disabled, missing } from '../channels.errors.js';
import { EventSender, type SentEvent } from './event-sender.js';
import { KeptBytes } from './kept-bytes.js';
import type { TriggerEvent } from './trigger-event.js';
import { TriggerLimit } from './trigger-limit.js';
import { TriggerSteps } from './trigger-step.js';
import { TriggerRelay } from './trigger-relay.js';
import { type CheckedEvent, checkBatchItem, checkTrigger } from './trigger-request.js';

/** The answer to POST events: `{}`, or the counts that `info` asked for. */
export interface TriggerAnswer {
  readonly channels?: Readonly<Record<string, ChannelAttributes>>;
}

/** The answer to POST batch_events; `batch` is aligned with the events of the request. */
export interface BatchAnswer {
  readonly batch?: readonly ChannelAttributes[];
}

/** Options of a trigger. */
export interface TriggerOptions {
  /**
   * A transaction of the host on the database of the TriggerOutbox: TypeORM's EntityManager. The events exist once it
   * is committed, are sent at least once, and keep the order of the commits to their channels.
   */
  readonly within?: HostTransaction;
}

/** Triggers events: implements POST events and POST batch_events, and serves the host's own code. */
@Injectable()
export class EventsService {
  constructor(
    private readonly apps: Apps,
    private readonly sender: EventSender,
    private readonly channels: ChannelsService,
    private readonly limit: TriggerLimit,
    private readonly relay: TriggerRelay,
    private readonly steps: TriggerSteps,
    private readonly kept: KeptBytes,
    private readonly settings: ChannelsSettings,
  ) {}

  /**
   * Sends an event to the subscribers of up to 100 channels (api § POST /apps/<app_id>/events).
   * @throws RookeryError `app_not_found`; ChannelsApiError 400, 403, 413 or 429, as over HTTP
   */
  async trigger(app: AppOrId, request: TriggerEvent, options?: TriggerOptions): Promise<TriggerAnswer> {
    return this.triggerSync(await this.appOf(app), request, options);
  }

  /** The same, but synchronous where no waiting is needed; then it also throws synchronously. */
  triggerSync(app: App, request: TriggerEvent, options?: TriggerOptions): Awaitable<TriggerAnswer> {
    const event = this.steps.prepare(app, checkTrigger(request, limitsOf(app, this.settings.limits), this.steps));
    const sent = this.send(app, [event], options);
    return sent ? sent.then(() => this.answerTo(app, event)) : this.answerTo(app, event);
  }

  /** The same; answers the event's position in each of its channels, in order. */
  async triggerPlaced(named: AppOrId, request: TriggerEvent): Promise<readonly Position[]> {
    const app = await this.appOf(named);
    const event = this.steps.prepare(app, checkTrigger(request, limitsOf(app, this.settings.limits), this.steps));
    await this.limit.take(app, 1);
    this.kept.assertRoomFor(app, [event]);
    await this.steps.before(app, [event]);
    const sent = this.sentFrom(app, event);
    return Promise.all(event.channels.map(async (channel) => this.sender.send(app, channel, sent)));
  }

  /** Sends up to 10 events, in order (api § POST /apps/<app_id>/batch_events); none when one of them is refused. */
  async triggerBatch(app: AppOrId, batch: readonly TriggerEvent[], options?: TriggerOptions): Promise<BatchAnswer> {
    return this.triggerBatchSync(await this.appOf(app), batch, options);
  }

  /** The same, but synchronous where no waiting is needed; then it also throws synchronously. */
  triggerBatchSync(app: App, batch: readonly TriggerEvent[], options?: TriggerOptions): Awaitable<BatchAnswer> {
    if (batch === undefined || batch === null) throw missing('batch');
    if (!Array.isArray(batch)) throw badRequest('batch must be an array of events');
    const limits = limitsOf(app, this.settings.limits);
    if (batch.length > limits.eventsPerBatch)
      throw badRequest(`Batch too large (${batch.length} > ${limits.eventsPerBatch})`);
    const events = batch.map((item: unknown, i) =>
      this.steps.prepare(app, checkBatchItem(item, i, limits, this.steps)),
    );
    const sent = this.send(app, events, options);
    return sent ? sent.then(() => this.answerToBatch(app, events)) : this.answerToBatch(app, events);
  }

  /** The id of the only configured app; undefined if there are several, or none. */
  get defaultApp(): string | undefined {
    return this.apps.defaultId;
  }

  /** Sends checked events within the app's rate; synchronous where no waiting is needed. */
  send(app: App, events: readonly CheckedEvent[], options?: TriggerOptions): void | Promise<unknown> {
    const counted = this.limit.take(app, events.length);
    return counted ? counted.then(() => this.accept(app, events, options)) : this.accept(app, events, options);
  }

  private accept(app: App, events: readonly CheckedEvent[], options?: TriggerOptions): void | Promise<unknown> {
    this.kept.assertRoomFor(app, events);
    if (options?.within) return this.relay.keep(app, events, options.within);
    const prepared = this.steps.before(app, events);
    return prepared ? prepared.then(() => this.publish(app, events)) : this.publish(app, events);
  }

  private publish(app: App, events: readonly CheckedEvent[]): void | Promise<unknown> {
    const attributes = { 'rookery.app': app.id, 'rookery.events': events.length };
    const work = traced('rookery trigger', 'PRODUCER', attributes);
    if (!work) return this.sendAll(app, events);
    const published = this.sendAll(app, events, work.traceparent);
    return published ? work.until(published) : work.end();
  }

  // One call for each event and channel, without waiting in between: a remote broker takes them in one round trip. With
  // one process everything is synchronous.
  private sendAll(app: App, events: readonly CheckedEvent[], traceparent?: string): void | Promise<unknown> {
    let pending: Promise<unknown>[] | undefined;
    for (const event of events) {
      const sent = this.sentFrom(app, event, traceparent);
      for (const channel of event.channels) {
        const published: Awaitable<Position> = this.sender.send(app, channel, sent);
        if (published instanceof Promise) (pending ??= []).push(published);
      }
    }
    if (pending) return pending.length === 1 ? pending[0] : Promise.all(pending);
  }

  private sentFrom(app: App, event: CheckedEvent, traceparent?: string): SentEvent {
    const text = this.kept.textOf(app, event);
    if (text) return { ...event, text, traceparent };
    return traceparent === undefined ? event : { ...event, traceparent };
  }

  private answerTo(app: App, event: CheckedEvent): Awaitable<TriggerAnswer> {
    return event.info.length === 0 ? {} : this.countsFor(app, event);
  }

  private async countsFor(app: App, { channels, info, attributes }: CheckedEvent): Promise<TriggerAnswer> {
    const counts = await this.channels.counts(app, channels, info);
    return { channels: Object.fromEntries(channels.map(({ name }, i) => [name, { ...counts[i]!, ...attributes }])) };
  }

  private answerToBatch(app: App, events: readonly CheckedEvent[]): Awaitable<BatchAnswer> {
    return events.every(({ info }) => info.length === 0) ? {} : this.countsForBatch(app, events);
  }

  private async countsForBatch(app: App, events: readonly CheckedEvent[]): Promise<BatchAnswer> {
    const counts = events.map(({ channels, info }) => this.channels.counts(app, channels, info));
    return {
      batch: (await Promise.all(counts)).map(([ofChannel], i) => ({ ...ofChannel!, ...events[i]!.attributes })),
    };
  }

  /** @throws RookeryError `app_not_found`; ChannelsApiError 403 when it is named by its id and disabled */
  async appOf(app: AppOrId): Promise<App> {
    const found = await this.apps.named(app);
    if (typeof app === 'string' && !found.enabled) throw disabled();
    return found;
  }
}
