import { Module } from '@nestjs/common';
import { AuthorizationModule } from 'rookery/authorization';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { Authorizers } from './authorizers.js';
import { Chats } from './chats.js';
import { PageController } from './page.controller.js';

@Module({
  imports: [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({
      apps: [
        {
          id: 'chats',
          key: 'chats-key',
          secret: 'chats-secret',
          // For stop and steer.
          clientEvents: true,
          // An answer may wait so long for an approval and still be joined.
          history: [{ channels: 'private-chat-*', streams: true, seconds: 600 }],
        },
      ],
    }),
    AuthorizationModule.forRoot(),
  ],
  controllers: [PageController, Chats],
  providers: [Authorizers],
})
export class AppModule {}
