import { Delete, HttpCode, UseGuards } from '@nestjs/common';
import { RookeryController } from '#http';
import {
  AuthorizationGuard,
  CurrentInstance,
  DevicesService,
  type Instance,
  InstanceKeyGuard,
} from 'rookery/internal/push-device';
import { PublishInstanceGuard } from '../access/instance-guards.js';
import { RequestCountGuard, RequestRateGuard } from '../access/request-rate.guards.js';
import { empty, WithKey } from '../access/with-key.js';
import { tooManyRequests, userIdTooLong } from '../publish.errors.js';
import { userId as inPath } from './described-answers.js';
import { UserInPath, UserInPathGuard } from './user-in-path.js';

const endpoint = (api: string) => () => ({
  path: `/${api}/v1/instances/{instanceId}/users/{userId}`,
  parameters: [inPath],
  answers: empty,
  refuses: [userIdTooLong(), tooManyRequests(1, 100)],
});

/** The customer API, also under its former name, which Node's SDK still uses (beams-wire §3.2). */
@RookeryController('customer_api/v1/instances/:instanceId', 'user_api/v1/instances/:instanceId')
@UseGuards(
  AuthorizationGuard,
  PublishInstanceGuard,
  InstanceKeyGuard,
  RequestCountGuard,
  UserInPathGuard,
  RequestRateGuard,
)
export class UsersController {
  constructor(private readonly devices: DevicesService) {}

  /** Removes the user's devices and all their data. Returns 200 even if there are none. */
  @Delete('users/*userId')
  @HttpCode(200)
  @WithKey('Delete the devices of a user', endpoint('customer_api'))
  @WithKey('Delete the devices of a user', () => ({ ...endpoint('user_api')(), deprecated: true }))
  delete(@CurrentInstance() { id }: Instance, @UserInPath() userId: string): Promise<void> {
    return this.devices.removeUser(id, userId);
  }
}
