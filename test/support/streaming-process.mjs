// A host with listeners that streams texts: `node streaming-process.mjs <url> <port> <first> <end> [parts]`. The url is that of
// a Redis or a database. It says `listening`, begins at a line of its input, and says `done`.
import { once } from 'node:events';
import { NestFactory } from '@nestjs/core';
import { ChannelsModule, StreamsService } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { RedisModule } from 'rookery/redis';
import { durableEvents, TypeOrmStorageModule } from 'rookery/typeorm';
import { partsInTime } from './ai-parts.mjs';
import { streamAll } from './stream-texts.mjs';

const [url, port, first, end, kind] = process.argv.slice(2);

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
const imports = url.startsWith('redis')
  ? [
      PresenceModule.forRoot(),
      RedisModule.forRoot({ url, heartbeatSeconds: 0.5, leaseSeconds: 2 }),
      ChannelsModule.forRoot(options),
    ]
  : [
      PresenceModule.forRoot(),
      TypeOrmStorageModule.forRoot({ url }),
      ChannelsModule.forRoot({ ...options, ...durableEvents }),
    ];
const app = await NestFactory.create({ module: class Host {}, imports }, { logger: ['error'] });
await app.listen(Number(port), '127.0.0.1');
console.log('listening');

await once(process.stdin, 'data');
const streams = Array.from({ length: Number(end) - Number(first) }, (_, n) => Number(first) + n);
await streamAll(app.get(StreamsService), streams, 150, kind === 'parts' && partsInTime);
console.log('done');
