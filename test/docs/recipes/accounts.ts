import { Injectable } from '@nestjs/common';
import { UsersService } from 'rookery/channels';
import { NotificationsService } from 'rookery/notifications';
import { DevicesService } from 'rookery/push-device';
import { instanceId } from './instance-id.js';

@Injectable()
export class Accounts {
  constructor(
    private readonly users: UsersService,
    private readonly notifications: NotificationsService,
    private readonly devices: DevicesService,
  ) {}

  async delete(userId: string) {
    await this.users.terminate('app-id', userId);
    await this.notifications.deleteAll(userId);
    await this.devices.removeUser(instanceId, userId);
  }
}
