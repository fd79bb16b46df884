import { Injectable } from '@nestjs/common';
import type { UserDevice } from '../contract/index.js';
import { PushServices } from '../push/push-services.js';

/** The devices of a user in all push instances: an instance belongs to no app. */
@Injectable()
export class UserDevices {
  constructor(private readonly push: PushServices) {}

  async of(userId: string, most: number): Promise<readonly UserDevice[]> {
    const instances = await this.push.instances(this.push.counted.keys());
    const found = await Promise.all(
      instances.map(async ({ id }) => {
        const { devices } = await this.push.parts.devicesService.inAudience(id, { users: [userId] }, '', most);
        return devices.map(({ id: device, platform }) => ({ instance: id, id: device, platform }));
      }),
    );
    return found.flat().slice(0, most);
  }
}
