import { migrate, openDatabase } from 'rookery/internal/typeorm';
import type { TestRedis } from './redis.js';

/** Makes a database that is older than any session can be: a new one tells each session of a gap. */
export async function makeAgedDatabase(url: string): Promise<void> {
  const database = await openDatabase(url);
  await migrate(database.dataSource);
  const old = (Date.now() - 2 * 86_400_000) * 1000;
  await database.execute("INSERT INTO rookery_event_order VALUES ('events', ?, ?, ?)", [old, old, old]);
  await database.close();
}

/** The same for a Redis that is empty. */
export async function ageRedis(redis: TestRedis): Promise<void> {
  await redis.command('SET', 'rookery:{nodes}:sessions-since', 1);
}
