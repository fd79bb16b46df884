import { Delete, Get, HttpCode, Param, Post, Query, type Type, UseGuards } from '@nestjs/common';
import { bodySchemaOf } from '#common';
import { cursorAfter, describing, idempotencyKeyOr, JsonContentTypeGuard, RequestBody, RookeryController } from '#http';
import {
  AuthorizationGuard,
  CurrentInstance,
  type Instance,
  InstanceKeyGuard,
  parseCursor,
  parseLimit,
  platformOf,
} from 'rookery/internal/push-device';
import { type DeviceOutcome, outcomes } from '../outbox/device-outcome.js';
import { InterestsPublish, UsersPublish } from '../publish-body.js';
import { PublishService } from '../publish.service.js';
import type { PublishStatus } from '../publish-status.js';
import {
  alreadyFinished,
  invalidIdempotencyKey,
  invalidOutcome,
  invalidPublishAt,
  keyConflict,
  publishNotFound,
  tooManyRequests,
  tooManyWaiting,
  unprocessable,
} from '../publish.errors.js';
import { badPage, Publishing, WithKey } from '../access/with-key.js';
import { deviceOutcomes, publishId, publishStatus, publishStatusExample } from './described-answers.js';
import { PublishInstanceGuard } from '../access/instance-guards.js';
import { UsePublishGuards } from '../access/publish-guards.js';
import { PublishAt } from './publish-at.js';

const { answer, body, may, oneOf, pageParameters, shape, text } = describing;

const publishes = '/publish_api/v1/instances/{instanceId}/publishes';
const payload = { fcm: { notification: { title: 'Hello', body: 'world' } } };
const publish = (path: string, of: Type<object>, example: object) => () => ({
  path: publishes + path,
  parameters: [
    may(
      'Idempotency-Key',
      'A repeat with the same key sends nothing again',
      { type: 'string', maxLength: 255 },
      'header',
    ),
    may(
      'Publish-At',
      'When it is to be sent, at most 28 days ahead',
      { type: 'string', format: 'date-time' },
      'header',
    ),
  ],
  requestBody: body(bodySchemaOf(of), { ...example, ...payload }),
  answers: answer('Accepted and stored durably', shape({ publishId: text }), {
    publishId: publishStatusExample.publishId,
  }),
  refuses: [
    unprocessable('`interests`: interests is required'),
    invalidIdempotencyKey(),
    invalidPublishAt(),
    keyConflict(),
    tooManyWaiting(1),
    tooManyRequests(1, 100),
  ],
});

const toInterests = publish('/interests', InterestsPublish, { interests: ['hello'] });
/** Used by SDKs before there were users. */
const toInterestsBefore = () => ({ ...toInterests(), path: publishes, deprecated: true });

const one = (...refuses: readonly Error[]) => ({
  parameters: [publishId],
  answers: answer('Its state', publishStatus, publishStatusExample),
  refuses: [publishNotFound(), ...refuses],
});

const IdempotencyKey = idempotencyKeyOr(invalidIdempotencyKey);

/** api § Push publish API. */
@RookeryController('publish_api/v1/instances/:instanceId/publishes')
export class PublishesController {
  constructor(private readonly publishes: PublishService) {}

  @Post(['', 'interests'])
  @HttpCode(200)
  @Publishing('Publish to interests', toInterests)
  @Publishing('Publish to interests', toInterestsBefore)
  @UsePublishGuards()
  toInterests(
    @CurrentInstance() instance: Instance,
    @RequestBody(InterestsPublish) publish: InterestsPublish,
    @IdempotencyKey() idempotencyKey?: string,
    @PublishAt() publishAt?: Date,
  ) {
    return this.publishes.accept(instance, publish, { idempotencyKey, publishAt });
  }

  @Post('users')
  @HttpCode(200)
  @Publishing('Publish to users', publish('/users', UsersPublish, { users: ['alice'] }))
  @UsePublishGuards()
  toUsers(
    @CurrentInstance() instance: Instance,
    @RequestBody(UsersPublish) publish: UsersPublish,
    @IdempotencyKey() idempotencyKey?: string,
    @PublishAt() publishAt?: Date,
  ) {
    return this.publishes.accept(instance, publish, { idempotencyKey, publishAt });
  }

  /** An addition to Beams: the state of a publish. */
  @Get(':publishId')
  @WithKey('The state of a publish', () => one())
  @UseGuards(JsonContentTypeGuard, AuthorizationGuard, PublishInstanceGuard, InstanceKeyGuard)
  status(@CurrentInstance() { id }: Instance, @Param('publishId') publishId: string): Promise<PublishStatus> {
    return this.publishes.status(id, publishId);
  }

  /** An addition to Beams: the outcome for each of its devices. */
  @Get(':publishId/devices')
  @WithKey('The outcome for each device of a publish, and what it has reported', () => ({
    parameters: [publishId, may('outcome', 'Only devices with this outcome', oneOf(...outcomes)), ...pageParameters],
    answers: answer('One page', deviceOutcomes),
    refuses: [...badPage(), invalidOutcome(), publishNotFound()],
  }))
  @UseGuards(JsonContentTypeGuard, AuthorizationGuard, PublishInstanceGuard, InstanceKeyGuard)
  async devices(
    @CurrentInstance() { id }: Instance,
    @Param('publishId') publishId: string,
    @Query() { limit, cursor, outcome }: Readonly<Record<string, unknown>>,
  ) {
    const after = parseCursor(cursor, (name) => platformOf(name) !== undefined);
    const query = { after, limit: parseLimit(limit), outcome: parseOutcome(outcome) };
    const { devices, next } = await this.publishes.outcomes(id, publishId, query);
    return {
      devices: devices.map(({ deviceId, ...became }) => ({ id: deviceId, ...became })),
      responseMetadata: next === undefined ? {} : { nextCursor: cursorAfter(next) },
    };
  }

  /** An addition to Beams: cancels a scheduled or current publish. */
  @Delete(':publishId')
  @WithKey('Cancel a publish', () => one(alreadyFinished()))
  @UseGuards(JsonContentTypeGuard, AuthorizationGuard, PublishInstanceGuard, InstanceKeyGuard)
  cancel(@CurrentInstance() { id }: Instance, @Param('publishId') publishId: string): Promise<PublishStatus> {
    return this.publishes.cancel(id, publishId);
  }
}

/** The outcome to filter by; absent: all. */
function parseOutcome(given: unknown): DeviceOutcome['outcome'] | undefined {
  const outcome = outcomes.find((one) => one === given);
  if (given !== undefined && outcome === undefined) throw invalidOutcome();
  return outcome;
}
