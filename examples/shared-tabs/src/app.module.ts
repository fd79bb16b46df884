import { Module } from '@nestjs/common';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { Orders } from './orders.js';
import { PageController } from './page.controller.js';

const app = { id: 'shop', key: 'shop-key', secret: 'shop-secret' };

@Module({
  imports: [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({
      apps: [{ ...app, history: [{ channels: 'orders' }] }],
    }),
  ],
  controllers: [PageController, Orders],
})
export class AppModule {}
