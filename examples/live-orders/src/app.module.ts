import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuthorizationModule } from 'rookery/authorization';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { sqliteDriver, TypeOrmStorageModule, TypeOrmTriggerOutbox, TypeOrmJobStore } from 'rookery/typeorm';
import { appId } from './app-id.js';
import { Authorizers } from './authorizers.js';
import { Order } from './order.entity.js';
import { Orders, OrdersController } from './orders.js';
import { PageController } from './page.controller.js';
import { Product } from './product.entity.js';

@Module({
  imports: [
    // The bakery's own database.
    TypeOrmModule.forRoot({
      type: 'better-sqlite3',
      driver: sqliteDriver,
      database: process.env['DATABASE'] ?? ':memory:',
      entities: [Order, Product],
      synchronize: true,
    }),
    // Rookery's tables beside its own, so that an event can be in the same transaction.
    TypeOrmStorageModule.forRoot({ dataSourceName: 'default' }),
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({
      apps: [{ id: appId, key: 'bakery-key', secret: 'bakery-secret' }],
      triggerOutbox: TypeOrmTriggerOutbox,
      webhookOutbox: TypeOrmJobStore.named('channels'),
    }),
    AuthorizationModule.forRoot(),
  ],
  controllers: [PageController, OrdersController],
  providers: [Authorizers, Orders],
})
export class AppModule {}
