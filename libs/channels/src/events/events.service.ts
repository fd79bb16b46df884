import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { type Awaitable, isStorable, RookeryError, traced } from '#common';
import type { HostTransaction } from 'rookery/jobs';
import type { EventDefinitions } from 'rookery/events';
import type { App } from '../app/app.js';
import { limitsOf } from '../app/app-limits.js';
import { streamsOf } from '../app/history-rule.js';
import { Apps } from '../access/apps.js';
import type { Position } from '../broker/broker.js';
import { ChannelsService, type ChannelAttributes } from './channels.service.js';
import { ChannelsSettings } from '../channels.options.js';
import { badRequest, disabled, missing, noStreams } from '../channels.errors.js';
import { isStreamId } from '../protocol/stream-piece.js';
import { TriggerOutbox } from '../storage/trigger.outbox.js';
import { EventSender } from './event-sender.js';
import { EventStream } from './event-stream.js';
import type { TriggerEvent } from './trigger-event.js';
import { MirrorService } from '../mirror/mirror.service.js';
import { TriggerLimit } from './trigger-limit.js';
import { TriggerRelay } from './trigger-relay.js';
import { TypedEvents } from './typed-events.js';
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

const mostEndMs = 2000;

/** Options of a stream. */
export interface StreamOptions {
  /** The app or its id. @default that of the module */
  readonly app?: App | string;
  /** Names the stream in its events; unique on its channel. @default a random one */
  readonly id?: string;
}

/** Triggers events: implements POST events and POST batch_events, and serves the host's own code. */
@Injectable()
export class EventsService implements OnModuleDestroy {
  private readonly streams = new Set<EventStream>();

  constructor(
    private readonly apps: Apps,
    private readonly sender: EventSender,
    private readonly channels: ChannelsService,
    private readonly limit: TriggerLimit,
    private readonly outbox: TriggerOutbox,
    private readonly relay: TriggerRelay,
    private readonly mirrors: MirrorService,
    private readonly settings: ChannelsSettings,
  ) {}

  /**
   * Sends an event to the subscribers of up to 100 channels (api § POST /apps/<app_id>/events).
   * @param app the app or its id
   * @throws ChannelsApiError 400, 403, 413 or 429, as over HTTP
   */
  async trigger(app: App | string, request: TriggerEvent, options?: TriggerOptions): Promise<TriggerAnswer> {
    return this.triggerAtOnce(typeof app === 'string' ? await this.appOf(app) : app, request, options);
  }

  /** The same, but synchronous where no waiting is needed; then it also throws synchronously. */
  triggerAtOnce(app: App, request: TriggerEvent, options?: TriggerOptions): Awaitable<TriggerAnswer> {
    const event = checkTrigger(request, limitsOf(app, this.settings.limits));
    const sent = this.send(app, [event], options);
    return sent ? sent.then(() => this.answerTo(app, event)) : this.answerTo(app, event);
  }

  /** The same; answers the event's position in each of its channels, in order. */
  async triggerPlaced(app: App, request: TriggerEvent): Promise<readonly Position[]> {
    const event = checkTrigger(request, limitsOf(app, this.settings.limits));
    await this.limit.take(app, 1);
    if (app.mirror) await this.mirrors.forward(app, [event]);
    return Promise.all(event.channels.map(async (channel) => this.sender.send(app, channel, event)));
  }

  /** Sends up to 10 events, in order (api § POST /apps/<app_id>/batch_events); none when one of them is refused. */
  async triggerBatch(
    app: App | string,
    batch: readonly TriggerEvent[],
    options?: TriggerOptions,
  ): Promise<BatchAnswer> {
    return this.triggerBatchAtOnce(typeof app === 'string' ? await this.appOf(app) : app, batch, options);
  }

  /** The same, but synchronous where no waiting is needed; then it also throws synchronously. */
  triggerBatchAtOnce(app: App, batch: readonly TriggerEvent[], options?: TriggerOptions): Awaitable<BatchAnswer> {
    if (batch === undefined || batch === null) throw missing('batch');
    if (!Array.isArray(batch)) throw badRequest('batch must be an array of events');
    const limits = limitsOf(app, this.settings.limits);
    if (batch.length > limits.eventsPerBatch)
      throw badRequest(`Batch too large (${batch.length} > ${limits.eventsPerBatch})`);
    const events = batch.map((item: unknown, i) => checkBatchItem(item, i, limits));
    const sent = this.send(app, events, options);
    return sent ? sent.then(() => this.answerToBatch(app, events)) : this.answerToBatch(app, events);
  }

  /**
   * Triggers only the events that `defineEvents` of `rookery/events` defined.
   * @param app the app or its id. Default: the only configured app
   * @throws Error when there are several apps and none is named, or when the definitions contradict each other
   */
  typed<Events extends EventDefinitions>(
    definitions: Events,
    app: App | string | undefined = this.apps.defaultId,
  ): TypedEvents<Events> {
    if (app === undefined) throw new Error('EventsService: which app? Write typed(definitions, app)');
    return new TypedEvents(this, definitions, app);
  }

  /**
   * Begins a stream: a text that listeners get as it comes into being, such as an AI's answer. Later
   * subscribers and returning clients get what was said so far, then the rest. Needs a history with `streams: true` on the channel.
   * @param name of the events; see {@link StreamPiece} for their data
   * @throws ChannelsApiError 400 for a channel that carries no streams
   * @throws Error when there are several apps and none is named
   */
  async stream(channel: string, name: string, options: StreamOptions = {}): Promise<EventStream> {
    const { app: named = this.apps.defaultId, id = randomUUID() } = options;
    if (named === undefined) throw new Error('EventsService: which app? Write stream(channel, name, { app })');
    const app = typeof named === 'string' ? await this.appOf(named) : named;
    const limits = limitsOf(app, this.settings.limits);
    const event = checkTrigger({ name, channel, data: '' }, limits);
    const { isEncrypted, access } = event.channels[0]!;
    const bounds = streamsOf(app, channel, this.settings.limits);
    if (!bounds || isEncrypted || access === 'user' || name.startsWith('client-')) throw noStreams(channel, name);
    if (!isStreamId(id)) throw badRequest('The id of a stream must be a text of 1 to 200 characters');
    const stream = new EventStream(id, {
      bounds,
      dataBytes: limits.eventDataBytes,
      joinMs: this.settings.streams.joinMs,
      timeoutMs: this.settings.streams.timeoutSeconds * 1000,
      send: (pieces) =>
        this.send(
          app,
          pieces.map((data) => ({ ...event, data })),
        ),
      closed: () => void this.streams.delete(stream),
    });
    this.streams.add(stream);
    return stream;
  }

  /** Ends the streams that this process leaves unfinished, while their listeners are still connected. */
  async onModuleDestroy(): Promise<void> {
    if (this.streams.size === 0) return;
    const ended = Promise.allSettled(Array.from(this.streams, (stream) => stream.fail()));
    // The broker may be away.
    await Promise.race([ended, delay(mostEndMs, undefined, { ref: false })]);
    // What is sent now is written to the connections in the next turn.
    await nextTurn();
  }

  private send(app: App, events: readonly CheckedEvent[], options?: TriggerOptions): void | Promise<unknown> {
    const send = () => (options?.within ? this.keep(app, events, options.within) : this.publish(app, events));
    const counted = this.limit.take(app, events.length);
    return counted ? counted.then(send) : send();
  }

  private publish(app: App, events: readonly CheckedEvent[]): void | Promise<unknown> {
    // Before publishing, so that a server that gets an error may repeat the request.
    if (app.mirror) return this.mirrors.forward(app, events).then(() => this.publishHere(app, events));
    return this.publishHere(app, events);
  }

  private publishHere(app: App, events: readonly CheckedEvent[]): void | Promise<unknown> {
    const attributes = { 'rookery.app': app.id, 'rookery.events': events.length };
    const work = traced('rookery trigger', 'PRODUCER', attributes);
    if (!work) return this.publishAll(app, events);
    const published = this.publishAll(app, events, work.traceparent);
    return published ? work.until(published) : work.end();
  }

  // One call for each event and channel, without waiting in between: a remote broker takes them in one round trip. With
  // one process everything is synchronous.
  private publishAll(app: App, events: readonly CheckedEvent[], traceparent?: string): void | Promise<unknown> {
    let pending: Promise<unknown>[] | undefined;
    for (const event of events)
      for (const channel of event.channels) {
        const sent = traceparent === undefined ? event : { ...event, traceparent };
        const published: Awaitable<Position> = this.sender.send(app, channel, sent);
        if (published instanceof Promise) (pending ??= []).push(published);
      }
    if (pending) return pending.length === 1 ? pending[0] : Promise.all(pending);
  }

  /** Stores the events until the host's transaction is committed. */
  private async keep(app: App, events: readonly CheckedEvent[], transaction: HostTransaction): Promise<void> {
    if (!events.every(({ name, data }) => isStorable(name) && isStorable(data)))
      throw badRequest('name and data of an event within a transaction must not contain NUL or half a surrogate pair');
    const createdAt = Date.now();
    const outgoing = events.flatMap(({ name, data, socketId, channels }) =>
      channels.map((channel) => ({
        id: randomUUID(),
        appId: app.id,
        channel: channel.name,
        name,
        data,
        ...(socketId !== undefined && { socketId }),
        createdAt,
      })),
    );
    await this.outbox.add(outgoing, { transaction, committed: () => this.relay.wake() });
  }

  private answerTo(app: App, event: CheckedEvent): Awaitable<TriggerAnswer> {
    return event.info.length === 0 ? {} : this.countsFor(app, event);
  }

  private async countsFor(app: App, { channels, info }: CheckedEvent): Promise<TriggerAnswer> {
    const counts = await this.channels.counts(app, channels, info);
    return { channels: Object.fromEntries(channels.map(({ name }, i) => [name, counts[i]!])) };
  }

  private answerToBatch(app: App, events: readonly CheckedEvent[]): Awaitable<BatchAnswer> {
    return events.every(({ info }) => info.length === 0) ? {} : this.countsForBatch(app, events);
  }

  private async countsForBatch(app: App, events: readonly CheckedEvent[]): Promise<BatchAnswer> {
    const counts = events.map(({ channels, info }) => this.channels.counts(app, channels, info));
    return { batch: (await Promise.all(counts)).map(([ofChannel]) => ofChannel!) };
  }

  private async appOf(id: string): Promise<App> {
    const found = await this.apps.findById(id);
    if (!found)
      throw new RookeryError('app_not_found', `EventsService: there is no app with the id ${JSON.stringify(id)}`);
    if (!found.enabled) throw disabled();
    return found;
  }
}
