import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const title = 'Writes to the embedded database: devices registered a second';
export const measures = ['writesPerSecond', 'microsecondsEach'];

export async function* run({ seconds }) {
  for (const atOnce of [1, 64])
    yield { case: `${atOnce} at once`, server: 'rookery', ...(await writes(atOnce, seconds)) };
}

async function writes(atOnce, seconds) {
  const { migrate, openDatabase, TypeOrmDeviceRepository } = await import('rookery/typeorm');
  const folder = mkdtempSync(join(tmpdir(), 'rookery-writes-'));
  const database = await openDatabase(`sqlite:${join(folder, 'rookery.db')}`);
  const { dataSource } = database;
  await migrate(dataSource);
  const devices = new TypeOrmDeviceRepository(database);

  const before = process.cpuUsage();
  const start = performance.now();
  let count = 0;
  const writer = async () => {
    while (performance.now() - start < seconds * 1000)
      await devices.register('instance', { platform: 'fcm', token: `token ${count++}`, metadata: {} }, 1);
  };
  await Promise.all(Array.from({ length: atOnce }, writer));
  const elapsed = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);

  await dataSource.destroy();
  rmSync(folder, { recursive: true });
  const cpuSeconds = (user + system) / 1e6;
  return {
    writesPerSecond: count / elapsed,
    microsecondsEach: (cpuSeconds * 1e6) / count,
    serverCpuSeconds: cpuSeconds,
    seconds: elapsed,
  };
}
