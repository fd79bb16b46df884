import { Module } from '@nestjs/common';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { Answers } from './answers.js';
import { PageController } from './page.controller.js';

const app = { id: 'answers', key: 'answers-key', secret: 'answers-secret' };

@Module({
  imports: [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({
      apps: [{ ...app, history: [{ channels: 'answers', streams: true }] }],
    }),
  ],
  controllers: [PageController, Answers],
})
export class AppModule {}
