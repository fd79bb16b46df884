import { Injectable, Module } from '@nestjs/common';
import { AuthorizationModule } from 'rookery/authorization';
import { AppRepository, ChannelsModule } from 'rookery/channels';
import { NotificationsModule } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { InstanceRepository, PushDeviceModule } from 'rookery/push-device';
import { instance } from '../../support/push-app.js';

/** Stands for a service of the host's, over its own database. */
@Injectable()
export class Tenants {
  private readonly all = [{ id: 'tenant', key: 'tenant-key', secret: 'tenant-secret' }];

  one(wanted: { id?: string; key?: string }) {
    return this.all.find(({ id, key }) => id === wanted.id || key === wanted.key);
  }
}

@Module({ providers: [Tenants], exports: [Tenants] })
export class TenantsModule {}

@Injectable()
export class AppsFromMyDatabase extends AppRepository {
  constructor(private readonly tenants: Tenants) {
    super();
  }
  findById(id: string) {
    return this.tenants.one({ id }); // { id, key, secret }
  }
  findByKey(key: string) {
    return this.tenants.one({ key });
  }
}

export const overridden = [
  PresenceModule.forRoot(),
  ChannelsModule.forRoot({
    imports: [TenantsModule],
    appRepository: AppsFromMyDatabase,
  }),
];

@Injectable()
export class InstancesFromMyDatabase extends InstanceRepository {
  find(id: string) {
    return id === instance.id ? instance : null;
  }
}

export const namedOnce = [
  PresenceModule.forRoot(),
  ChannelsModule.forRoot({ imports: [TenantsModule], appRepository: AppsFromMyDatabase, defaultApp: 'tenant' }),
  PushDeviceModule.forRoot({ instanceRepository: InstancesFromMyDatabase, defaultInstance: instance.id }),
  PublishModule.forRoot(),
  AuthorizationModule.forRoot(),
  NotificationsModule.forRoot(),
];

/** The same override in each of Nest's provider shapes. */
export const shapes = {
  useClass: { useClass: AppsFromMyDatabase },
  useValue: { useValue: new AppsFromMyDatabase(new Tenants()) },
  useFactory: { inject: [Tenants], useFactory: (tenants: Tenants) => new AppsFromMyDatabase(tenants) },
};
