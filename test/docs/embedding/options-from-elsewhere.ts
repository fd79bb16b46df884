import { Injectable, Module } from '@nestjs/common';
import { ChannelsModule, InProcessBroker } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';

/** As that of @nestjs/config. */
@Injectable()
export class ConfigService {
  private readonly all = { 'channels.app': { id: 'configured', key: 'configured-key', secret: 'configured-secret' } };

  getOrThrow(name: 'channels.app') {
    return this.all[name];
  }
}

@Module({ providers: [ConfigService], exports: [ConfigService] })
export class ConfigModule {}

class MyBroker extends InProcessBroker {}

export const configured = [
  PresenceModule.forRoot(),
  ChannelsModule.forRootAsync({
    imports: [ConfigModule],
    inject: [ConfigService],
    useFactory: (config: ConfigService) => ({ apps: [config.getOrThrow('channels.app')] }),
    broker: MyBroker,
  }),
];
