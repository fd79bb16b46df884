import { Injectable, UseGuards } from '@nestjs/common';
import { type AuthenticatedUser, CurrentUser, UserAuthenticator } from 'rookery/authorization';
import { NotificationsModule, NotificationsService } from 'rookery/notifications';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { LoginGuard, People, type Person } from './people.js';

/** The instance whose devices get pushes. Add the credentials for Apple, Google or web push here. */
const instance = { id: '5d0c6a3e-7f7b-4a3d-9d43-0a4f6b1c2e70', secretKey: 'secret' };

export const notifying = [
  PushDeviceModule.forRoot({ instances: [instance] }),
  PublishModule.forRoot(),
  NotificationsModule.forRoot({ apps: [{ withdrawFrom: ['apns', 'fcm'] }] }),
];

/** Notifies people mentioned with an @ wherever they are: in the page, otherwise on their devices. */
@Injectable()
@UseGuards(LoginGuard)
export class Mentions {
  constructor(
    private readonly notifications: NotificationsService,
    private readonly people: People,
  ) {}

  /** The user of a page, and of devices. */
  @UserAuthenticator()
  me(@CurrentUser() { id, name }: Person): AuthenticatedUser {
    return { id, info: { name } };
  }

  async tell(room: string, from: string, text: string): Promise<void> {
    const shown = { title: `${from} in the ${room}`, body: text };
    for (const { id } of this.people.namedIn(text))
      await this.notifications.notify(id, {
        event: { name: 'mention', data: { room, from, text } },
        push: { apns: { aps: { alert: shown } }, fcm: { notification: shown }, web: { notification: shown } },
        collapseKey: room,
      });
  }
}
