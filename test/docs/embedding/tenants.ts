import { Injectable, Module } from '@nestjs/common';
import { AppRepository, ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';

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

/** The same override in each of Nest's provider shapes. */
export const shapes = {
  useClass: { useClass: AppsFromMyDatabase },
  useValue: { useValue: new AppsFromMyDatabase(new Tenants()) },
  useFactory: { inject: [Tenants], useFactory: (tenants: Tenants) => new AppsFromMyDatabase(tenants) },
};
