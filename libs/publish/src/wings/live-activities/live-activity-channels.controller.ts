import { Delete, HttpCode, Injectable, type PipeTransform, Put, Query, UseGuards } from '@nestjs/common';
import { bodySchemaOf } from '#common';
import { describing, PathTail, RequestBody, RookeryController } from '#http';
import {
  AuthorizationGuard,
  CurrentInstance,
  deviceRefusals,
  type Instance,
  InstanceKeyGuard,
  isInterest,
} from 'rookery/internal/push-device';
import { ChannelRefused } from '../../delivery/broadcast-channels.js';
import { PlatformFault, SendLater } from '../../delivery/push.gateway.js';
import { LiveActivityChannels } from './live-activity-channels.js';
import { appleIsBusy, channelRefused } from './live-activities.errors.js';
import { pathBefore } from '../../access/path-before.js';
import { ChannelRequest, checkedBundleIdentifier } from './channel-request.js';
import { PublishInstanceGuard } from '../../access/instance-guards.js';
import { UsePublishGuards } from '../../access/publish-guards.js';
import { RequestCountGuard, RequestRateGuard } from '../../access/request-rate.guards.js';
import { empty, WithKey } from '../../access/with-key.js';
import { tooManyRequests, unprocessable } from '../../publish.errors.js';

const { answer, body, inPath, may, shape, text } = describing;

const app = { bundleIdentifier: 'com.example.app' };
const channel = shape({ channelId: text, bundleIdentifier: text, storesLatest: { type: 'boolean' } });
const endpoint = (...parameters: readonly object[]) => ({
  path: '/customer_api/v1/instances/{instanceId}/interests/{interest}/channel',
  parameters: [inPath('interest', 'The name of the interest', text, 'hello'), ...parameters],
  refuses: [
    deviceRefusals.invalidInterest(),
    unprocessable('`bundleIdentifier`: bundleIdentifier is required'),
    channelRefused('Apple refuses the channel: CannotCreateChannelConfig'),
    tooManyRequests(1, 100),
    appleIsBusy('TooManyRequests', 1),
  ],
});

@Injectable()
export class InterestOfChannelPipe implements PipeTransform<string, string> {
  transform(path: string): string {
    const interest = pathBefore('/channel', path);
    if (!isInterest(interest)) throw deviceRefusals.invalidInterest();
    return interest;
  }
}

/** An addition to Beams: Apple's broadcast channel of an interest, at `interests/<name>/channel`. */
@RookeryController('customer_api/v1/instances/:instanceId')
export class LiveActivityChannelsController {
  constructor(private readonly channels: LiveActivityChannels) {}

  /** The channel, created if there is none. */
  @Put('interests/*interestChannel')
  @HttpCode(200)
  @WithKey("Apple's broadcast channel of an interest for an app, created if there is none", () => ({
    ...endpoint(),
    requestBody: body(bodySchemaOf(ChannelRequest), app),
    answers: answer('The channel', channel, { ...app, channelId: 'dHN0LXNyY2gtY2hubA==', storesLatest: true }),
  }))
  @UsePublishGuards()
  async ensure(
    @CurrentInstance() { id }: Instance,
    @PathTail(InterestOfChannelPipe) interest: string,
    @RequestBody(ChannelRequest) request: ChannelRequest,
  ) {
    const { channelId, bundleIdentifier, storesLatest } = await answered(() =>
      this.channels.ensure(id, interest, request),
    );
    return { channelId, bundleIdentifier, storesLatest };
  }

  /** Removes it, here and at Apple. Returns 200 even if there is none. */
  @Delete('interests/*interestChannel')
  @HttpCode(200)
  @WithKey("Delete Apple's broadcast channel of an interest for an app", () => ({
    ...endpoint({ ...may('bundleIdentifier', 'The bundle identifier of the app'), required: true }),
    answers: empty,
  }))
  @UseGuards(AuthorizationGuard, PublishInstanceGuard, InstanceKeyGuard, RequestCountGuard, RequestRateGuard)
  async remove(
    @CurrentInstance() { id }: Instance,
    @PathTail(InterestOfChannelPipe) interest: string,
    @Query('bundleIdentifier') bundleIdentifier: unknown,
  ): Promise<void> {
    const checked = checkedBundleIdentifier(bundleIdentifier);
    await answered(() => this.channels.remove(id, interest, checked));
  }
}

async function answered<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SendLater) throw appleIsBusy(error.reason, Math.ceil((error.retryAfterMs ?? 1000) / 1000));
    if (error instanceof ChannelRefused || error instanceof PlatformFault) throw channelRefused(error.message);
    throw error;
  }
}
