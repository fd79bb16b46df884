// A host with listeners that streams texts: `node streaming-process.mjs <url> <port> <first> <end> <kind> <store>`, where the
// kind is `texts` or `parts`, and the url that of what the processes share, `redis` or `postgres`, or of the database of
// this one, `own`. It says `listening`, begins at a line of its input, and says `done`.
import { once } from 'node:events';
import { NestFactory } from '@nestjs/core';
import { ChannelsModule, StreamsService } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { RedisModule } from 'rookery/redis';
import { durableEvents, PostgresClusterModule, TypeOrmStorageModule } from 'rookery/typeorm';
import { partsInTime } from './ai-parts.mjs';
import { streamAll } from './stream-texts.mjs';

const [url, port, first, end, kind, store] = process.argv.slice(2);

const options = {
  apps: [
    {
      id: '3',
      key: '278d425bdf160c739803',
      secret: '7ad3773142a6692b25b8',
      history: [{ channels: 'chat-*', streams: true }],
    },
  ],
  streams: { timeoutSeconds: 4 },
};
const shared = {
  redis: () => [RedisModule.forRoot({ url, heartbeatSeconds: 0.5, leaseSeconds: 2 }), ChannelsModule.forRoot(options)],
  postgres: () => [
    TypeOrmStorageModule.forRoot({ url }),
    PostgresClusterModule.forRoot(),
    ChannelsModule.forRoot(options),
  ],
  own: () => [TypeOrmStorageModule.forRoot({ url }), ChannelsModule.forRoot({ ...options, ...durableEvents })],
};
const imports = [PresenceModule.forRoot(), ...shared[store]()];
const app = await NestFactory.create({ module: class Host {}, imports }, { logger: ['error'] });
await app.listen(Number(port), '127.0.0.1');
console.log('listening');

await once(process.stdin, 'data');
const streams = Array.from({ length: Number(end) - Number(first) }, (_, n) => Number(first) + n);
await streamAll(app.get(StreamsService), streams, 150, kind === 'parts' && partsInTime);
console.log('done');
