import { Delete, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import {
  cursorAfter,
  idempotencyKeyOr,
  JsonBodyGuard,
  JsonContentTypeGuard,
  RequestBody,
  RookeryController,
  ValidBodyGuard,
} from '#http';
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
import { invalidIdempotencyKey, invalidOutcome } from '../publish.errors.js';
import { PublishInstanceGuard } from '../access/instance-guards.js';
import { PublishAt } from './publish-at.js';
import { RequestCountGuard, RequestRateGuard } from '../access/request-rate.guards.js';

const IdempotencyKey = idempotencyKeyOr(invalidIdempotencyKey);

/** The checks of a publish, in the order of beams-wire §12.6. */
const UsePublishGuards = () =>
  UseGuards(
    JsonContentTypeGuard,
    AuthorizationGuard,
    JsonBodyGuard,
    PublishInstanceGuard,
    InstanceKeyGuard,
    RequestCountGuard,
    ValidBodyGuard,
    RequestRateGuard,
  );

/** api § Push publish API. */
@RookeryController('publish_api/v1/instances/:instanceId/publishes')
export class PublishesController {
  constructor(private readonly publishes: PublishService) {}

  @Post(['', 'interests'])
  @HttpCode(200)
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
  @UseGuards(JsonContentTypeGuard, AuthorizationGuard, PublishInstanceGuard, InstanceKeyGuard)
  status(@CurrentInstance() { id }: Instance, @Param('publishId') publishId: string): Promise<PublishStatus> {
    return this.publishes.status(id, publishId);
  }

  /** An addition to Beams: the outcome for each of its devices. */
  @Get(':publishId/devices')
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
