import { Module } from '@nestjs/common';
import { ChannelsModule } from 'rookery/channels';
import { NotificationsModule } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';

export const app = { id: '7', key: 'simulated-key', secret: 'simulated-secret' };
export const instance = { id: '00000000-0000-4000-8000-000000000001', secretKey: 'simulated-secret' };

/** How long pages have to show a notification. */
export const pushAfterMs = 5000;

/** A process with both columns, and what notifies users over them. */
@Module({
  imports: [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [app], activityTimeoutSeconds: 10, pongTimeoutSeconds: 5, drainSeconds: 2 }),
    PushDeviceModule.forRoot({ instances: [instance] }),
    PublishModule.forRoot({ pollMs: 5000, longestRetryMs: 30_000 }),
    NotificationsModule.forRoot({ apps: [{ pushAfterSeconds: pushAfterMs / 1000 }], pollMs: 5000 }),
  ],
})
export class NotifyingModule {}
