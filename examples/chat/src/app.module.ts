import { Module } from '@nestjs/common';
import { AuthorizationModule } from 'rookery/authorization';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { Mentions, notifying } from './mentions.js';
import { PageController } from './page.controller.js';
import { LoginGuard, PeopleController, People } from './people.js';
import { Rooms, RoomsController } from './rooms.js';

@Module({
  imports: [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [{ id: 'chat', key: 'chat-key', secret: 'chat-secret', clientEvents: true }] }),
    AuthorizationModule.forRoot(),
    ...notifying,
  ],
  controllers: [PageController, PeopleController, RoomsController],
  providers: [People, LoginGuard, Mentions, Rooms],
})
export class AppModule {}
