import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { held } from '../support/held.mjs';

const hour = 3_600_000_000;

/** How long nothing else can run while events are deleted, of which the history keeps none or a tenth. */
export async function* forgetting(events) {
  const { migrate, openDatabase, TypeOrmBroker } = await import('rookery/typeorm');
  const folder = mkdtempSync(join(tmpdir(), 'rookery-forgetting-'));
  const database = await openDatabase(`sqlite:${join(folder, 'rookery.db')}`);
  try {
    await migrate(database.dataSource);
    const large = events / 20;
    for (const [what, count, bytes, bounds] of [
      // Not told: what the first deletion needs is needed once.
      [undefined, 5000, 100, { events: 500 }],
      ['too old', events, 100, { microseconds: hour }],
      ['too many', events, 100, { events: events / 10 }],
      ['too large together, each of 10,000 bytes', large, 10_000, { bytes: large * 1000 }],
    ]) {
      await fill(database, count, bytes, bounds);
      const broker = new TypeOrmBroker(database);
      const result = await held(() => forgotten(database));
      await broker.onApplicationShutdown();
      const [{ n }] = await database.read('SELECT COUNT(*) AS n FROM rookery_kept_events');
      if (n !== (bounds.microseconds ? 0 : count / 10)) throw new Error(`${n} events are left`);
      if (what) yield { case: `forgetting of ${count} that are ${what}`, server: 'rookery', ...result };
      for (const table of ['kept_events', 'histories', 'event_order'])
        await database.execute(`DELETE FROM rookery_${table}`);
    }
  } finally {
    await database.dataSource.destroy();
    rmSync(folder, { recursive: true });
  }
}

/** Events that came one a microsecond, more than an hour ago. */
async function fill(database, count, size, { events = count, bytes = count * size, microseconds = 10 * hour }) {
  const first = Date.now() * 1000 - 2 * hour;
  await database.execute(
    `INSERT INTO rookery_kept_events (history_id, position, previous, events_before, bytes_before, socket_id, text)
     WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
     SELECT 1, ? + n, ? + n - 1, n, n * ?, NULL, ? FROM numbers`,
    [count - 1, first, first, size, 'x'.repeat(size)],
  );
  await database.execute('INSERT INTO rookery_histories VALUES (?, 1, ?, ?, ?, ?, ?, ?, 0)', [
    '5 bench kept',
    first + count - 1,
    count,
    count * size,
    events,
    microseconds,
    bytes,
  ]);
  await database.execute('INSERT INTO rookery_event_order VALUES (?, 0, ?, 0)', ['events', first + count - 1]);
}

async function forgotten(database) {
  const due = 'SELECT 1 FROM rookery_histories WHERE due_at <= ?';
  while ((await database.read(due, [Date.now() * 1000])).length > 0) await sleep(20);
}
