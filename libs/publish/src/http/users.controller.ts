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
import { UserInPath, UserInPathGuard } from './user-in-path.js';

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
  delete(@CurrentInstance() { id }: Instance, @UserInPath() userId: string): Promise<void> {
    return this.devices.removeUser(id, userId);
  }
}
