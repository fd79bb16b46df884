import { Injectable } from '@nestjs/common';
import type { Awaitable } from 'rookery/common';
import type { App } from '../access/app.js';
import { AppRepository } from '../access/app.repository.js';
import { Broker } from '../broker/broker.js';
import { ChannelsService, type ChannelAttributes } from './channels.service.js';
import { ChannelsSettings } from '../channels.options.js';
import { badRequest, disabled, missing } from '../channels.errors.js';
import type { ChannelName } from '../protocol/channel-name.js';
import { channelEvent } from '../protocol/frames.js';
import { textFrame } from '../connections/websocket/frame-encoder.js';
import { ChannelRepository } from '../storage/channel.repository.js';
import { type CheckedEvent, checkBatchItem, checkTrigger, type TriggerRequest } from './trigger-request.js';

/** The answer to POST events: `{}`, or the counts that `info` asked for. */
export interface TriggerAnswer {
  readonly channels?: Readonly<Record<string, ChannelAttributes>>;
}

/** The answer to POST batch_events; `batch` is aligned with the events of the request. */
export interface BatchAnswer {
  readonly batch?: readonly ChannelAttributes[];
}

/** Triggers events: what POST events and POST batch_events do, also for the host's own code. */
@Injectable()
export class EventsService {
  constructor(
    private readonly apps: AppRepository,
    private readonly broker: Broker,
    private readonly repository: ChannelRepository,
    private readonly channels: ChannelsService,
    private readonly settings: ChannelsSettings,
  ) {}

  /**
   * Sends an event to the subscribers of up to 100 channels (api § POST /apps/<app_id>/events).
   * @param app the app or its id
   * @throws ChannelsApiError 400, 403 or 413, as over HTTP
   */
  async trigger(app: App | string, request: TriggerRequest): Promise<TriggerAnswer> {
    const event = checkTrigger({ ...request }, this.settings.limits);
    const target = typeof app === 'string' ? await this.appOf(app) : app;
    const published = this.publish(target, event);
    if (published) await published;
    return event.info.length === 0 ? {} : { channels: await this.countsOf(target, event) };
  }

  /** Sends up to 10 events, in order (api § POST /apps/<app_id>/batch_events); none when one of them is refused. */
  async triggerBatch(app: App | string, batch: readonly TriggerRequest[]): Promise<BatchAnswer> {
    if (batch === undefined || batch === null) throw missing('batch');
    if (!Array.isArray(batch)) throw badRequest('batch must be an array of events');
    const { limits } = this.settings;
    if (batch.length > limits.eventsPerBatch)
      throw badRequest(`Batch too large (${batch.length} > ${limits.eventsPerBatch})`);
    const events = batch.map((item: unknown, i) => checkBatchItem(item, i, limits));
    const target = typeof app === 'string' ? await this.appOf(app) : app;
    for (const event of events) {
      const published = this.publish(target, event);
      if (published) await published;
    }
    if (events.every(({ info }) => info.length === 0)) return {};
    return {
      batch: await Promise.all(events.map((event) => this.channels.counts(target, event.channels[0]!, event.info))),
    };
  }

  // In one process everything is done at once: a promise is only made where one has to be waited for.
  private publish(app: App, event: CheckedEvent, from = 0): Awaitable<void> {
    for (let i = from; i < event.channels.length; i++) {
      const pending = this.publishOn(app, event, event.channels[i]!);
      if (pending) return pending.then(() => this.publish(app, event, i + 1));
    }
  }

  private publishOn({ id: appId }: App, event: CheckedEvent, channel: ChannelName): Awaitable<void> {
    const remembered = channel.isCache ? this.remember(appId, channel.name, event.name, event.data) : undefined;
    const send = (): Awaitable<void> => {
      const frame = textFrame(channelEvent(event.name, channel.name, event.data));
      const message = { kind: 'frame', appId, channel: channel.name, frame } as const;
      return this.broker.publish(event.socketId === undefined ? message : { ...message, except: event.socketId });
    };
    return remembered ? remembered.then(send) : send();
  }

  private remember(appId: string, channel: string, event: string, data: string): Awaitable<void> {
    return this.repository.remember(appId, channel, { event, data }, this.settings.cacheTtlSeconds);
  }

  private async countsOf(app: App, event: CheckedEvent): Promise<Record<string, ChannelAttributes>> {
    const entries = event.channels.map(
      async (channel) => [channel.name, await this.channels.counts(app, channel, event.info)] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  }

  private async appOf(id: string): Promise<App> {
    const found = await this.apps.findById(id);
    if (!found) throw new Error(`EventsService: there is no app with the id ${JSON.stringify(id)}`);
    if (!found.enabled) throw disabled();
    return found;
  }
}
