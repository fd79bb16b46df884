import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const title =
  "Writes to the embedded database: devices registered a second, by Node's SQLite and by better-sqlite3";
export const measures = ['writesPerSecond', 'microsecondsEach'];

const load = createRequire(import.meta.url);

export async function* run({ seconds, skip }) {
  const { sqliteDriver } = await import('rookery/typeorm');
  const drivers = { 'node:sqlite': sqliteDriver, 'better-sqlite3': betterSqlite3() };
  for (const [server, driver] of Object.entries(drivers))
    if (!driver) skip(`writes through ${server}, which Node ${process.versions.node} does not have here`);
    else
      for (const atOnce of [1, 64])
        yield { case: `${atOnce} at once`, server, ...(await writes(driver, atOnce, seconds)) };
}

function betterSqlite3() {
  try {
    const driver = load('better-sqlite3');
    new driver(':memory:').close();
    return driver;
  } catch {
    return undefined;
  }
}

async function writes(driver, atOnce, seconds) {
  const { databaseOn, dataSourceOptions, migrate, TypeOrmDeviceRepository } = await import('rookery/typeorm');
  const { DataSource } = await import('typeorm');
  const folder = mkdtempSync(join(tmpdir(), 'rookery-writes-'));
  const options = { ...dataSourceOptions(`sqlite:${join(folder, 'rookery.db')}`), driver };
  const dataSource = await new DataSource(options).initialize();
  await migrate(dataSource);
  const devices = new TypeOrmDeviceRepository(await databaseOn(dataSource));

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
