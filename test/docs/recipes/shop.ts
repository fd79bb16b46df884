import { Injectable } from '@nestjs/common';
import { EventsService } from 'rookery/channels';
import { NotificationsService } from 'rookery/notifications';
import { PublishService } from 'rookery/publish';
import { instanceId } from './instance-id.js';

const image = 'https://shop.example/shoes.png';
const link = 'https://shop.example/sale';

@Injectable()
export class Shop {
  constructor(
    private readonly events: EventsService,
    private readonly publishes: PublishService,
    private readonly notifications: NotificationsService,
  ) {}

  advertise() {
    return this.publishes.publishToInterests(instanceId, {
      interests: ['sale'],
      fcm: { notification: { title: 'Sale', body: 'Shoes at half price', image } },
      apns: { aps: { alert: { title: 'Sale', body: 'Shoes at half price' }, 'mutable-content': 1 }, data: { image } },
      web: { notification: { title: 'Sale', body: 'Shoes at half price' }, data: { image } },
    });
  }

  open() {
    return this.publishes.publishToInterests(instanceId, {
      interests: ['sale'],
      fcm: { notification: { title: 'The sale begins', android_channel_id: 'sales', sound: 'bell' } },
      apns: { aps: { alert: { title: 'The sale begins' }, sound: 'bell.caf' } },
    });
  }

  invite(userId: string) {
    return this.publishes.publishToUsers(instanceId, {
      users: [userId],
      fcm: { data: { title: 'Dinner at 8?', buttons: 'yes,no' } },
      apns: { aps: { alert: { title: 'Dinner at 8?' }, category: 'INVITATION' } },
      web: {
        notification: { title: 'Dinner at 8?' },
        data: {
          actions: [
            { action: 'yes', title: 'Yes' },
            { action: 'no', title: 'No' },
          ],
        },
      },
    });
  }

  remind(at: Date) {
    return this.publishes.publishToInterests(
      instanceId,
      { interests: ['sale'], web: { notification: { title: 'The sale ends today', deep_link: link } } },
      { publishAt: at },
    );
  }

  tellEveryone(text: string) {
    return this.events.trigger('app-id', { channel: 'everyone', name: 'message', data: { text } });
  }

  tellMany(userIds: readonly string[], text: string) {
    return this.notifications.notifyUsers(userIds, {
      event: { name: 'message', data: { text } },
      push: { web: { notification: { title: 'Shop', body: text } } },
    });
  }

  tellOne(userId: string, text: string) {
    return this.events.trigger('app-id', { channel: `#server-to-user-${userId}`, name: 'message', data: { text } });
  }

  tellOfParcel(userId: string) {
    return this.publishes.publishToUsers(instanceId, {
      users: [userId],
      fcm: { notification: { title: 'Your parcel is on its way' } },
      apns: { aps: { alert: { title: 'Your parcel is on its way' } } },
      web: { notification: { title: 'Your parcel is on its way' } },
    });
  }
}
