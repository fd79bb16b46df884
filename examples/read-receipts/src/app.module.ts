import { Module } from '@nestjs/common';
import { AuthorizationModule } from 'rookery/authorization';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { Messages, MessagesController } from './messages.js';
import { PageController } from './page.controller.js';

@Module({
  imports: [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [{ id: 'team', key: 'team-key', secret: 'team-secret' }] }),
    AuthorizationModule.forRoot(),
  ],
  controllers: [PageController, MessagesController],
  providers: [Messages],
})
export class AppModule {}
