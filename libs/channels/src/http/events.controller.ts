import { HttpCode, Post } from '@nestjs/common';
import { utf8Text } from '#common';
import { PathTail, RawBody } from '#http';
import type { App } from '../app/app.js';
import { CurrentApp, Parameters, TextBody } from '../access/signed-request.guard.js';
import { notFound, notUtf8 } from '../channels.errors.js';
import { exactBatch, exactEvent } from '../events/exact-event.js';
import { type BatchAnswer, EventsService, type TriggerAnswer } from '../events/events.service.js';
import { RepeatedTriggers } from '../events/repeated-triggers.js';
import type { TriggerBatch, TriggerEvent } from '../events/trigger-event.js';
import { ChannelsApi } from '../access/channels-api.js';
import { IdempotencyKey } from './idempotency-key.js';

const suffix = '/events';

@ChannelsApi()
export class EventsController {
  constructor(
    private readonly events: EventsService,
    private readonly repeated: RepeatedTriggers,
  ) {}

  /** api § POST /apps/<app_id>/events */
  @Post('events')
  @HttpCode(200)
  trigger(
    @CurrentApp() app: App,
    @Parameters() parameters: TriggerEvent,
    @RawBody() body: Buffer,
    @IdempotencyKey() key?: string,
  ): Promise<TriggerAnswer> {
    const event = exactEvent(parameters, body);
    const trigger = (): Promise<TriggerAnswer> => this.events.trigger(app, event);
    return key === undefined ? trigger() : this.repeated.once(app, key, event, trigger);
  }

  /** api § POST /apps/<app_id>/batch_events */
  @Post('batch_events')
  @HttpCode(200)
  triggerBatch(
    @CurrentApp() app: App,
    @Parameters() parameters: TriggerBatch,
    @RawBody() body: Buffer,
    @IdempotencyKey() key?: string,
  ): Promise<BatchAnswer> {
    const batch = exactBatch(parameters.batch, body);
    const trigger = (): Promise<BatchAnswer> => this.events.triggerBatch(app, batch);
    return key === undefined ? trigger() : this.repeated.once(app, key, { batch }, trigger);
  }

  /** The deprecated `POST /apps/<app_id>/channels/<channel>/events?name=…`, whose body is the data (channels-wire §6.3). */
  @Post('channels/*tail')
  @HttpCode(202)
  @TextBody()
  async triggerOne(
    @CurrentApp() app: App,
    @PathTail() tail: string,
    @Parameters() { name, socket_id }: TriggerEvent,
    @RawBody() body: Buffer,
  ): Promise<Record<string, never>> {
    if (!tail.endsWith(suffix)) throw notFound();
    const data = body.length > 0 ? utf8Text(body) : undefined;
    if (body.length > 0 && data === undefined) throw notUtf8();
    const channel = tail.slice(0, -suffix.length);
    await this.events.trigger(app, { name, data, channel, ...(socket_id !== undefined && { socket_id }) });
    return {};
  }
}
