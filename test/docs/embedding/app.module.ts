import { Module } from '@nestjs/common';
import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { News } from './news.js';
import { Rooms } from './rooms.js';

const id = 'app-id';
const key = 'app-key';
const secret = 'app-secret';
const instanceId = '8f9a6e22-2483-49aa-8552-125f1a4c5781';
const secretKey = 'secret-key';

@Module({
  imports: [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [{ id, key, secret }] }),
    PushDeviceModule.forRoot({ instances: [{ id: instanceId, secretKey }] }),
    PublishModule.forRoot(),
  ],
  providers: [News, Rooms],
})
export class AppModule {}
