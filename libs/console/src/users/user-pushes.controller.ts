import { Get, Query } from '@nestjs/common';
import { ConsoleController } from '../access/console.guard.js';
import { badRequest } from '../console.errors.js';
import { ConsoleSettings } from '../console.options.js';
import type { UserPushes } from '../contract/index.js';
import { devicePublishes } from '../push/device-publishes.js';
import { PushServices } from '../push/push-services.js';
import { UserDevices } from './user-devices.js';

/** Each device costs a search. */
const maxDevices = 5;

/** `GET /console/api/apps/:app/pushes?user=…`: what was pushed to a user's devices lately. */
@ConsoleController('apps/:app/pushes')
export class ConsoleUserPushesController {
  constructor(
    private readonly devices: UserDevices,
    private readonly push: PushServices,
    private readonly settings: ConsoleSettings,
  ) {}

  @Get()
  async latest(@Query('user') user: unknown): Promise<UserPushes> {
    if (typeof user !== 'string' || user === '') throw badRequest('Name a user.');
    const devices = await this.devices.of(user, maxDevices);
    const found = await Promise.all(
      devices.map(async ({ instance, id, platform }) => {
        const all = await devicePublishes(this.push.parts.publishes, instance, id, this.settings.hidePayloads);
        return all.map((each) => ({ ...each, instance, platform }));
      }),
    );
    return { pushes: found.flat().toSorted((left, right) => right.at - left.at) };
  }
}
