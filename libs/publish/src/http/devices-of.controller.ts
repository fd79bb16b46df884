import { Get, Injectable, type PipeTransform, Query, UseGuards } from '@nestjs/common';
import { cursorAfter, PathTail, RookeryController } from '#http';
import {
  type PublishTarget,
  AuthorizationGuard,
  CurrentInstance,
  type DeviceAddress,
  deviceRefusals,
  DevicesService,
  type Instance,
  InstanceKeyGuard,
  isInterest,
  parseCursor,
  parseLimit,
  platformOf,
} from 'rookery/push-device';
import { beforeDevices } from './before-devices.js';
import { PublishInstanceGuard } from './instance-guards.js';
import { UserInPath, UserInPathGuard } from './user-in-path.js';

@Injectable()
export class DevicesOfInterestPipe implements PipeTransform<string, string> {
  transform(path: string): string {
    const interest = beforeDevices(path);
    if (!isInterest(interest)) throw deviceRefusals.invalidInterest();
    return interest;
  }
}

interface Page {
  readonly limit?: unknown;
  readonly cursor?: unknown;
}

/** An addition to Beams: the devices that a publish to a user or an interest would reach. */
@RookeryController('customer_api/v1/instances/:instanceId')
@UseGuards(AuthorizationGuard, PublishInstanceGuard, InstanceKeyGuard)
export class DevicesOfController {
  constructor(private readonly devices: DevicesService) {}

  /** `users/<id>/devices`; the id may contain slashes. */
  @Get('users/*userDevices')
  @UseGuards(UserInPathGuard)
  user(@CurrentInstance() { id }: Instance, @UserInPath() userId: string, @Query() page: Page) {
    return this.page(id, { users: [userId] }, page);
  }

  /** `interests/<name>/devices` */
  @Get('interests/*interestDevices')
  interest(
    @CurrentInstance() { id }: Instance,
    @PathTail(DevicesOfInterestPipe) interest: string,
    @Query() page: Page,
  ) {
    return this.page(id, { interests: [interest] }, page);
  }

  private async page(instanceId: string, target: PublishTarget, { limit, cursor }: Page) {
    const after = parseCursor(cursor, (id) => platformOf(id) !== undefined);
    const { devices, hasMore } = await this.devices.inAudience(instanceId, target, after, parseLimit(limit));
    const last = devices.at(-1);
    return {
      devices: devices.map(shown),
      responseMetadata: hasMore && last ? { nextCursor: cursorAfter(last.id) } : {},
    };
  }
}

/** Omits the token, with which anyone could send to the device. */
const shown = ({ id, platform, userId = '', bundleIdentifier, registeredAt }: DeviceAddress) => ({
  id,
  platform,
  userId,
  bundleIdentifier,
  registeredAt: new Date(registeredAt).toISOString(),
});
