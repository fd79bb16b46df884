// A process that writes devices as fast as it can: `node device-writer.mjs <url> <name> <count>`. It prints how its
// attempts to belong to one user ended.
import { migrate, openDatabase, TypeOrmDeviceRepository } from 'rookery/typeorm';

const [url, name, count] = process.argv.slice(2);
const database = await openDatabase(url);
await migrate(database.dataSource);
const devices = new TypeOrmDeviceRepository(database);

const write = async (number) => {
  const registration = { platform: 'fcm', token: `${name} ${number}`, metadata: {} };
  const { id } = await devices.register('instance', registration, 1);
  await devices.addInterest('instance', 'fcm', id, 'news');
  return devices.setUser('instance', 'fcm', id, 'everybody');
};
const outcomes = await Promise.all(Array.from({ length: Number(count) }, (_, number) => write(number)));
await database.dataSource.destroy();
process.stdout.write(JSON.stringify(outcomes));
