import { Injectable } from '@nestjs/common';
import { NotificationsModule, NotificationsService } from 'rookery/notifications';
import { TypeOrmNotificationRepository } from 'rookery/typeorm';
import { production } from './production.js';

/** One more module beside the others. */
export const notifying = (databaseUrl: string) => [
  ...production(databaseUrl),
  NotificationsModule.forRoot({ notificationRepository: TypeOrmNotificationRepository }),
];

@Injectable()
export class Mentions {
  constructor(private readonly notifications: NotificationsService) {}

  async tell(user: string, room: string, from: string, text: string) {
    return this.notifications.notify(user, {
      event: { name: 'mention', data: { room, from, text } },
      push: { web: { notification: { title: `${from} in the ${room}`, body: text } } },
      collapseKey: `mention ${room}`,
    });
  }
}
