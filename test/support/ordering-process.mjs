// A host that takes an order and ends at once, as a power cut would: `node ordering-process.mjs <url> <when> <relays>`,
// before the commit or after it. The event is for a cache channel.
import { NestFactory } from '@nestjs/core';
import { ChannelsModule, EventsService } from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { dataSourceOptions, TypeOrmStorageModule, TypeOrmTriggerOutbox } from 'rookery/typeorm';
import { DataSource } from 'typeorm';

const [url, when, relays] = process.argv.slice(2);
const die = () => process.kill(process.pid, 'SIGKILL');

const apps = [{ id: '3', key: '278d425bdf160c739803', secret: '7ad3773142a6692b25b8' }];
const triggerRelay = { enabled: relays === 'true' };
const imports = [
  PresenceModule.forRoot(),
  TypeOrmStorageModule.forRoot({ url }),
  ChannelsModule.forRoot({ apps, triggerRelay, triggerOutbox: TypeOrmTriggerOutbox }),
];
const app = await NestFactory.createApplicationContext({ module: class Host {}, imports }, { logger: ['error'] });
const dataSource = await new DataSource({ ...dataSourceOptions(url), entities: [] }).initialize();
await dataSource.query('CREATE TABLE IF NOT EXISTS host_orders (id text PRIMARY KEY)');

await dataSource.transaction(async (manager) => {
  await manager.query(`INSERT INTO host_orders (id) VALUES ('${when}')`);
  const event = { name: 'order-shipped', channel: 'cache-orders', data: when };
  await app.get(EventsService).trigger('3', event, { within: manager });
  if (when === 'before') die();
});
die();
