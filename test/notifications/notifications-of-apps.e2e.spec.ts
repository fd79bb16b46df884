import { afterEach, expect, it } from 'vitest';
import { type AppConfig, AppRepository, ChannelsModule } from 'rookery/channels';
import { type AppNotificationsConfig, NotificationsModule, NotificationsService } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { createHost } from '../support/embedding-host.js';
import { instance } from '../support/push-app.js';

class Tenants extends AppRepository {
  readonly apps = new Map<string, AppConfig>();
  findById(id: string) {
    return this.apps.get(id) ?? null;
  }
  findByKey(key: string) {
    return [...this.apps.values()].find((app) => app.key === key) ?? null;
  }
}

const mention = { event: { name: 'mention', data: {} } };
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function host(apps: AppNotificationsConfig[]) {
  const tenants = new Tenants();
  const { app } = await createHost({
    imports: [
      PresenceModule.forRoot(),
      ChannelsModule.forRoot({ appRepository: tenants }),
      PushDeviceModule.forRoot({ instances: [instance] }),
      PublishModule.forRoot(),
      NotificationsModule.forRoot({ apps }),
    ],
  });
  closing.push(() => app.close());
  await app.init();
  return { tenants, notifications: app.get(NotificationsService) };
}

it('notifies users of apps that were added while the application runs, and none of those that are gone', async () => {
  const { tenants, notifications } = await host([
    { app: '*', linkSeconds: 60 },
    { app: 'vip', linkSeconds: 3600 },
  ]);
  await expect(notifications.notify('ann', mention, 'shop')).rejects.toMatchObject({ code: 'app_not_found' });
  tenants.apps.set('shop', { id: 'shop', key: 'k', secret: 's' });
  const id = await notifications.notify('ann', mention, 'shop');
  expect(await notifications.status(id, 'shop')).toMatchObject({ id });
  expect(await notifications.feed('ann', {}, 'shop')).toMatchObject({ unread: 1 });
  tenants.apps.delete('shop');
  await expect(notifications.notify('ann', mention, 'shop')).rejects.toMatchObject({ code: 'app_not_found' });
});

it('requires the app if there are several, and accepts one entry for all others', async () => {
  const { notifications } = await host([{ app: '*' }]);
  await expect(notifications.notify('ann', mention)).rejects.toThrow('which app?');
  await expect(host([{ app: '*' }, { app: '*' }])).rejects.toThrow('apps[1].app appears twice');
});
