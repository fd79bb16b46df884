import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AppConfig, AppRepository, ChannelsModule } from 'rookery/channels';
import { ConsoleModule } from '@rookery/console';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import {
  ConfiguredInstanceRepository,
  type Instance,
  InstanceRepository,
  LayeredInstanceRepository,
  PushDeviceModule,
} from 'rookery/internal/push-device';
import { testApp } from '../support/channels-server.js';
import { ConsoleClient } from '../support/console-client.js';
import { api } from '../support/publish-app.js';
import { instance, otherInstance, startApp } from '../support/push-app.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const tenant = { id: 'tenant', key: 'tenant-key', secret: 'tenant-secret' };

/** The application's own, which cannot list. */
class Tenants extends AppRepository {
  findById(id: string): AppConfig | undefined {
    return id === tenant.id ? tenant : undefined;
  }
  findByKey(key: string): AppConfig | undefined {
    return key === tenant.key ? tenant : undefined;
  }
}
class InstancesOfTenants extends InstanceRepository {
  find(id: string): Instance | undefined {
    return id === otherInstance.id ? otherInstance : undefined;
  }
}
class AllInstances extends LayeredInstanceRepository {
  constructor() {
    super(new ConfiguredInstanceRepository({ instances: [instance] }), new InstancesOfTenants());
  }
}

let app: Awaited<ReturnType<typeof startApp>>;
let console_: ConsoleClient;
const idsOf = (all: readonly { readonly id: string }[]): readonly string[] => all.map(({ id }) => id);

beforeAll(async () => {
  app = await startApp([
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [testApp], appRepository: Tenants }),
    PushDeviceModule.forRoot({ instanceRepository: AllInstances }),
    PublishModule.forRoot(),
    ConsoleModule.forRoot({ password: 'a password for tests' }),
  ]);
  console_ = new ConsoleClient(app.port, 'a password for tests');
});
afterAll(() => app.close());

it('says that there may be more apps and instances than it shows', async () => {
  const { apps, instances, ...overview } = await console_.get('overview');
  expect([idsOf(apps), idsOf(instances)]).toEqual([[testApp.id], [instance.id]]);
  expect(overview).toMatchObject({ unlisted: ['apps', 'instances'], editable: false, instancesEditable: false });
});

it('shows those that are used beside the configured ones', async () => {
  const client = await SocketClient.connect(app.port, tenant);
  await api(app.call, otherInstance).publish({ interests: ['a'], fcm: { notification: { title: 'a' } } });
  await until(async () => (await console_.get('overview')).instances.length > 1, 'the publish is counted');
  const { apps, instances } = await console_.get('overview');
  expect(idsOf(apps)).toEqual([testApp.id, tenant.id]);
  expect(idsOf(instances)).toEqual([instance.id, otherInstance.id]);
  client.close();
});
