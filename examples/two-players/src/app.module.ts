import { Module } from '@nestjs/common';
import { AuthorizationModule } from 'rookery/authorization';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { Games } from './games.js';
import { PageController } from './page.controller.js';

const app = { id: 'games', key: 'games-key', secret: 'games-secret' };

@Module({
  imports: [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({
      // With a history there are sessions: a move whose reply was lost is asked again, and made once.
      apps: [{ ...app, history: [{ channels: 'presence-game.*' }] }],
    }),
    AuthorizationModule.forRoot(),
  ],
  controllers: [PageController],
  providers: [Games],
})
export class AppModule {}
