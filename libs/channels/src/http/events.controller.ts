import { HttpCode, Post } from '@nestjs/common';
import { bodySchemaOf, utf8Text } from '#common';
import { describing, PathTail, RawBody } from '#http';
import type { App } from '../app/app.js';
import { CurrentApp, Parameters, TextBody } from '../access/signed-request.guard.js';
import { dataTooLarge, invalidChannel, missing, notFound, notUtf8, tooManyTriggers } from '../channels.errors.js';
import { exactBatch, exactEvent } from '../events/exact-event.js';
import { type BatchAnswer, EventsService, type TriggerAnswer } from '../events/events.service.js';
import { RepeatedTriggers } from '../events/repeated-triggers.js';
import { TriggerBatch, TriggerEvent } from '../events/trigger-event.js';
import { ChannelsApi } from '../access/channels-api.js';
import { IdempotencyKey } from './idempotency-key.js';
import { idempotencyKey, refusedEvents, Signed } from '../access/signed-operation.js';
import { channelName } from './described-channels.js';

const { answer, body, count, listOf, mapOf, may, nothing, shape, text } = describing;

const suffix = '/events';

const example = { name: 'my-event', channels: ['my-channel'], data: '{"hello":"world"}' };
const refuses = () => [missing('channels'), invalidChannel('my channel'), ...refusedEvents()];
const attributes = (ofFeatures: Readonly<Record<string, describing.Shape>>) =>
  shape({}, { user_count: count, subscription_count: count, ...ofFeatures });
const accepted = (name: string, schema: describing.Shape) =>
  answer('Accepted; with `info`, the requested attributes', shape({}, { [name]: schema }), {});

@ChannelsApi()
export class EventsController {
  constructor(
    private readonly events: EventsService,
    private readonly repeated: RepeatedTriggers,
  ) {}

  /** api § POST /apps/<app_id>/events */
  @Post('events')
  @HttpCode(200)
  @Signed('Trigger an event on one or more channels', (ofFeatures) => ({
    parameters: [idempotencyKey],
    requestBody: body(bodySchemaOf(TriggerEvent), example),
    answers: accepted('channels', mapOf(attributes(ofFeatures))),
    refuses: refuses(),
  }))
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
  @Signed('Trigger several events, each on one channel', (ofFeatures) => ({
    parameters: [idempotencyKey],
    requestBody: body(bodySchemaOf(TriggerBatch), {
      batch: [{ name: 'my-event', channel: 'my-channel', data: '{}' }],
    }),
    answers: accepted('batch', listOf(attributes(ofFeatures))),
    refuses: refuses(),
  }))
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
  @Signed('Trigger an event whose data is the body', () => ({
    path: '/apps/{appId}/channels/{channelName}/events',
    description: 'The first version of the API: use POST /apps/{appId}/events.',
    deprecated: true,
    parameters: [channelName, may('name', "The event's name"), may('socket_id', 'The connection to exclude')],
    requestBody: { content: { 'text/plain': { schema: text }, 'application/json': { schema: {} } } },
    answers: answer('Accepted', nothing, {}),
    refuses: [missing('name'), dataTooLarge(10_240), tooManyTriggers(100), notFound()],
  }))
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
