import { Delete, HttpCode, Param, Req } from '@nestjs/common';
import { type PlatformRequest, RookeryController, RouteNotFound } from 'rookery/common';
import { DeviceRepository, InstanceRepository, isUserId } from 'rookery/push-device';
import { requireAuthorization, requireKey } from './authorized.js';
import { tooManyRequests } from './errors.js';
import { RequestRate } from './request-rate.js';
import { userInPath } from './user-in-path.js';

/** The customer API, also under the name it had before, which Node's SDK still uses (beams-wire §3.2). */
@RookeryController('customer_api/v1/instances/:instanceId', 'user_api/v1/instances/:instanceId')
export class UsersController {
  constructor(
    private readonly instances: InstanceRepository,
    private readonly devices: DeviceRepository,
    private readonly rate: RequestRate,
  ) {}

  /** Removes the user's devices with everything they have. 200 also when there is none. */
  @Delete('users/*userId')
  @HttpCode(200)
  async delete(@Param('instanceId') instanceId: string, @Req() request: PlatformRequest): Promise<void> {
    const authorization = requireAuthorization(request);
    const instance = requireKey(await this.instances.find(instanceId), authorization);
    const retryAfterSeconds = this.rate.take(instance.id);
    const userId = userInPath(request);
    if (userId === '') throw new RouteNotFound();
    if (retryAfterSeconds > 0) throw tooManyRequests(retryAfterSeconds);
    // Nobody can have been given another one, and no store sees bytes that it cannot keep.
    if (isUserId(userId)) await this.devices.removeUser(instance.id, userId);
  }
}
