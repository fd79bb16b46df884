import { ChannelsModule } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { RedisModule } from 'rookery/redis';
import {
  durableEvents,
  TypeOrmDeviceRepository,
  TypeOrmPublishOutbox,
  TypeOrmStorageModule,
  TypeOrmJobStore,
} from 'rookery/typeorm';
import { testApp } from '../../support/channels-server.js';
import { instance } from '../../support/push-app.js';

/** What is kept is in the database, what processes share is in Redis. */
export const production = (databaseUrl: string, redisUrl?: string) => [
  ...(redisUrl ? [RedisModule.forRoot({ url: redisUrl })] : []),
  TypeOrmStorageModule.forRoot({ url: databaseUrl }),
  PresenceModule.forRoot(),
  ChannelsModule.forRoot({
    apps: [testApp],
    webhookOutbox: TypeOrmJobStore.named('channels'),
    ...(!redisUrl && durableEvents),
  }),
  PushDeviceModule.forRoot({ instances: [instance], deviceRepository: TypeOrmDeviceRepository }),
  PublishModule.forRoot({
    publishOutbox: TypeOrmPublishOutbox,
    webhookOutbox: TypeOrmJobStore.named('push'),
  }),
];
