import { Get, HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import { JsonContentTypeGuard, type PlatformRequest, RookeryController } from 'rookery/common';
import { type Instance, InstanceRepository } from 'rookery/push-device';
import type { InterestsPublish, UsersPublish } from '../publish.js';
import { PublishService } from '../publish.service.js';
import type { PublishStatus } from '../publish-status.js';
import { requireAuthorization, requireKey } from './authorized.js';
import { tooManyRequests } from './errors.js';
import { idempotencyKeyOf } from './idempotency-key.js';
import { jsonObjectOf } from './json-object.js';
import { parseInterestsPublish, parseUsersPublish } from './parse-publish.js';
import { RequestRate } from './request-rate.js';

/** api § Push publish API. */
@RookeryController('publish_api/v1/instances/:instanceId/publishes')
@UseGuards(JsonContentTypeGuard)
export class PublishesController {
  constructor(
    private readonly instances: InstanceRepository,
    private readonly publishes: PublishService,
    private readonly rate: RequestRate,
  ) {}

  @Post(['', 'interests'])
  @HttpCode(200)
  toInterests(@Param('instanceId') instanceId: string, @Req() request: PlatformRequest) {
    return this.publish(instanceId, request, 10, parseInterestsPublish);
  }

  @Post('users')
  @HttpCode(200)
  toUsers(@Param('instanceId') instanceId: string, @Req() request: PlatformRequest) {
    return this.publish(instanceId, request, 200, parseUsersPublish);
  }

  /** Beyond what Beams has: the state of a publish. */
  @Get(':publishId')
  async status(
    @Param('instanceId') instanceId: string,
    @Param('publishId') publishId: string,
    @Req() request: PlatformRequest,
  ): Promise<PublishStatus> {
    const instance = await this.authorized(instanceId, requireAuthorization(request));
    return this.publishes.status(instance.id, publishId);
  }

  /** The checks in the order of beams-wire §12.6. A request that the schema refuses counts for the rate all the same. */
  private async publish(
    instanceId: string,
    request: PlatformRequest,
    maxKiB: number,
    parse: (body: unknown) => InterestsPublish | UsersPublish,
  ): Promise<{ readonly publishId: string }> {
    const authorization = requireAuthorization(request);
    const body = jsonObjectOf(request, maxKiB);
    const instance = await this.authorized(instanceId, authorization);
    const retryAfterSeconds = this.rate.take(instance.id);
    const publish = parse(body);
    if (retryAfterSeconds > 0) throw tooManyRequests(retryAfterSeconds);
    return this.publishes.accept(instance, publish, { idempotencyKey: idempotencyKeyOf(request) });
  }

  private async authorized(instanceId: string, authorization: string): Promise<Instance> {
    return requireKey(await this.instances.find(instanceId), authorization);
  }
}
