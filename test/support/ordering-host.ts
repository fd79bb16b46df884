import { type DynamicModule, Injectable, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Column, DataSource, type DataSourceOptions, Entity, PrimaryColumn } from 'typeorm';
import { ChannelsModule, EventsService } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { PublishModule, PublishService } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { TypeOrmPublishOutbox, TypeOrmStorageModule, TypeOrmTriggerOutbox } from 'rookery/typeorm';
import { testApp } from './channels-server.js';
import { instance } from './push-app.js';
import { ScriptedGateway } from './scripted.gateway.js';

const { id: instanceId } = instance;
const { id: appId, key, secret } = testApp;

@Entity('host_orders')
export class Order {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  customer!: string;

  @Column('boolean', { default: false })
  isShipped!: boolean;
}

@Injectable()
export class Orders {
  constructor(
    private readonly dataSource: DataSource,
    private readonly events: EventsService,
    private readonly publishes: PublishService,
  ) {}

  async ship(id: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await manager.update(Order, { id }, { isShipped: true });
      const { customer } = await manager.findOneByOrFail(Order, { id });
      const event = { name: 'order-shipped', channel: `private-orders-${id}`, data: { id } };
      await this.events.trigger(appId, event, { within: manager });
      const push = { users: [customer], fcm: { notification: { title: 'Your order is on its way' } } };
      await this.publishes.publishToUsers(instanceId, push, { within: manager });
    });
  }
}

@Module({})
export class OrderingHost {
  /** On a data source of the host's; with `url`, Rookery has one of its own on the same database. */
  static on(dataSource: DataSourceOptions, url?: string, gateway = new ScriptedGateway('fcm')): DynamicModule {
    return {
      module: OrderingHost,
      imports: [
        TypeOrmModule.forRoot({ ...dataSource, entities: [Order], synchronize: true }),
        TypeOrmStorageModule.forRoot(url === undefined ? { dataSourceName: 'default' } : { url }),
        PresenceModule.forRoot(),
        ChannelsModule.forRoot({
          apps: [{ id: appId, key, secret }],
          triggerOutbox: TypeOrmTriggerOutbox,
        }),
        PushDeviceModule.forRoot({ instances: [instance] }),
        PublishModule.forRoot({
          publishOutbox: TypeOrmPublishOutbox,
          fcmGateway: gateway,
        }),
      ],
      providers: [Orders],
    };
  }
}
