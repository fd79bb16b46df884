import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';

export const title =
  'The embedded database, which holds up its process while it works: the longest such hold of each task among many devices and reports of one publish';
export const measures = ['longestMs', 'totalMs'];

const instanceId = 'instance';
const publishId = 'pubid-large';
const batch = 20_000;

/** `DEVICES=1000000 REPORTS=10000000` is the full size, which takes several minutes and gigabytes of disk. */
export async function* run({ quick }) {
  const devices = Number(process.env.DEVICES ?? (quick ? 5000 : 50_000));
  const reports = Number(process.env.REPORTS ?? (quick ? 20_000 : 200_000));
  const folder = mkdtempSync(join(tmpdir(), 'rookery-holds-'));
  const rookery = await import('rookery/typeorm');
  const database = await rookery.openDatabase(`sqlite:${join(folder, 'rookery.db')}`);
  try {
    await rookery.migrate(database.dataSource);
    await fill(database, devices, reports);
    for (const [task, work] of Object.entries(tasks(rookery, database, devices)))
      yield { case: `${task}, ${devices} devices, ${reports} reports`, server: 'rookery', ...(await held(work)) };
  } finally {
    await database.dataSource.destroy();
    rmSync(folder, { recursive: true });
  }
}

const series = 'WITH RECURSIVE numbers(n) AS (SELECT ? UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)';

async function fill(database, devices, reports) {
  await inBatches(devices, async (first, last) => {
    await database.execute(
      `INSERT INTO rookery_devices (id, instance_id, platform, token, token_hash, user_id, metadata, registered_at)
       ${series} SELECT printf('fcm-%09d', n), '${instanceId}', 'fcm', 'token' || n, 'hash' || n, NULL, '{}', 1 FROM numbers`,
      [first, last],
    );
    await database.execute(
      `INSERT INTO rookery_device_interests (instance_id, interest, device_id)
       ${series} SELECT '${instanceId}', 'news', printf('fcm-%09d', n) FROM numbers`,
      [first, last],
    );
  });
  await database.execute(
    `INSERT INTO rookery_publishes (id, instance_id, body, created_at, finished_at) VALUES (?, ?, ?, 1, 2)`,
    [publishId, instanceId, JSON.stringify({ audience: { interests: ['news'] }, payloads: { fcm: {} } })],
  );
  await inBatches(reports, (first, last) =>
    database.execute(
      `INSERT INTO rookery_reports (publish_id, platform, event, device_id)
       ${series} SELECT '${publishId}', 'fcm', 'delivery', printf('fcm-%09d', n) FROM numbers`,
      [first, last],
    ),
  );
  await database.execute(`INSERT INTO rookery_report_counts VALUES (?, 'fcm', 'delivery', 0, ?)`, [publishId, reports]);
}

async function inBatches(count, work) {
  for (let first = 1; first <= count; first += batch) await work(first, Math.min(count, first + batch - 1));
}

function tasks(rookery, database, count) {
  const devices = new rookery.TypeOrmDeviceRepository(database);
  const outbox = new rookery.TypeOrmPublishOutbox(database);
  const reports = new rookery.TypeOrmReportRepository(database);
  const report = { publishId, platform: 'fcm', event: 'delivery', deviceId: 'fcm-new' };
  const gone = Array.from({ length: Math.min(1000, count) }, (_, n) => ({
    id: `fcm-${String(n + 1).padStart(9, '0')}`,
  }));
  return {
    'a page of the audience': () => devices.inAudience(instanceId, { interests: ['news'] }, 'fcm-', 1000),
    'a report': () => reports.add(report),
    'the counts of a publish': () => reports.counts(publishId),
    'a thousand gone devices': () => devices.removeUnregistered(instanceId, gone),
    'forgetting the reports': () => reports.forget([publishId]),
    'forgetting the publish': () => outbox.forget([publishId]),
  };
}

/** How long it took, and for how long at most nothing else could run meanwhile. */
async function held(work) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await turn();
  delay.enable();
  await turn();
  const start = performance.now();
  await work();
  const totalMs = performance.now() - start;
  await turn();
  delay.disable();
  return { longestMs: Math.min(delay.max / 1e6, totalMs), totalMs };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 20));
