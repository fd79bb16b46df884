import { Delete, HttpCode, Injectable, type PipeTransform, Put, Query, UseGuards } from '@nestjs/common';
import { JsonBodyGuard, JsonContentTypeGuard, PathTail, RequestBody, RookeryController, ValidBodyGuard } from '#http';
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
import { RequestCountGuard, RequestRateGuard } from '../../access/request-rate.guards.js';

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
  @UseGuards(
    JsonContentTypeGuard,
    AuthorizationGuard,
    JsonBodyGuard,
    PublishInstanceGuard,
    InstanceKeyGuard,
    RequestCountGuard,
    ValidBodyGuard,
    RequestRateGuard,
  )
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
