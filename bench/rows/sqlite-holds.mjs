import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { held } from '../support/held.mjs';

export const title =
  'The embedded database, which holds up its process while it works: the longest such hold of each task among many devices and reports of one publish';
export const measures = ['longestMs', 'longestCpuMs', 'totalMs'];

const instanceId = 'instance';
const publishId = 'pubid-large';
const batch = 20_000;
/** Interests and users of one publish, at most, and devices of a user. */
const [interests, users, devicesOfUser] = [100, 1000, 100];
/** Devices that have all of the interests. */
const keen = 5000;

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

const series =
  'WITH RECURSIVE numbers(n) AS (SELECT CAST(? AS INTEGER) UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)';

async function fill(database, devices, reports) {
  await inBatches(devices, async (first, last) => {
    await database.execute(
      `INSERT INTO rookery_devices (id, instance_id, platform, token, token_hash, user_id, metadata, registered_at)
       ${series} SELECT printf('fcm-%09d', n), '${instanceId}', 'fcm', 'token' || n, 'hash' || n,
         CASE WHEN n <= ${users * devicesOfUser} THEN 'user-' || ((n - 1) / ${devicesOfUser}) END, '{}', 1 FROM numbers`,
      [first, last],
    );
    await database.execute(
      `INSERT INTO rookery_device_interests (instance_id, interest, device_id)
       ${series} SELECT '${instanceId}', 'news', printf('fcm-%09d', n) FROM numbers`,
      [first, last],
    );
  });
  for (let interest = 1; interest < interests; interest++)
    await database.execute(
      `INSERT INTO rookery_device_interests (instance_id, interest, device_id)
       ${series} SELECT '${instanceId}', ?, printf('fcm-%09d', n) FROM numbers`,
      [1, Math.min(devices, keen), `topic-${interest}`],
    );
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
  await fillOutcomes(database, devices);
}

/** Half of them are old enough to be forgotten; the others go with their publish. A tenth were heard of later. */
async function fillOutcomes(database, devices) {
  const page = 1000;
  for (let first = 1; first <= devices; first += page) {
    const sent = Array.from({ length: page }, (_, n) => idOf(first + n));
    await database.execute(
      'INSERT INTO rookery_publish_outcomes (publish_id, last_id, saved_at, devices) VALUES (?, ?, ?, ?)',
      [publishId, sent.at(-1), (first / page) % 2, JSON.stringify({ sent, failed: {}, retrying: {} })],
    );
  }
  await inBatches(devices / 10, (first, last) =>
    database.execute(
      `INSERT INTO rookery_publish_later_outcomes (publish_id, device_id, saved_at, outcome)
       ${series} SELECT '${publishId}', printf('fcm-%09d', n * 10), n % 2, '{"outcome":"sent"}' FROM numbers`,
      [first, last],
    ),
  );
}

const idOf = (n) => `fcm-${String(n).padStart(9, '0')}`;

async function inBatches(count, work) {
  for (let first = 1; first <= count; first += batch) await work(first, Math.min(count, first + batch - 1));
}

function tasks(rookery, database, count) {
  const devices = new rookery.TypeOrmDeviceRepository(database);
  const outbox = new rookery.TypeOrmPublishOutbox(database);
  const report = { publishId, platform: 'fcm', event: 'delivery', deviceId: 'fcm-new' };
  const gone = Array.from({ length: Math.min(1000, count) }, (_, n) => ({ id: idOf(n + 1) }));
  const everybody = Array.from({ length: users }, (_, n) => `user-${n}`);
  const topics = ['news', ...Array.from({ length: interests - 1 }, (_, n) => `topic-${n + 1}`)];
  const many = new Set(Array.from({ length: 5000 }, (_, n) => `interest-${n}`));
  const one = [instanceId, 'fcm', idOf(count)];
  return {
    'a page of the audience': () => devices.inAudience(instanceId, { interests: ['news'] }, 'fcm-', 1000),
    [`a page of ${interests} interests`]: () => devices.inAudience(instanceId, { interests: topics }, 'fcm-', 1000),
    [`a page of ${users} users`]: () => devices.inAudience(instanceId, { users: everybody }, 'fcm-', 1000),
    'a report': () => outbox.report(report),
    'the counts of a publish': () => outbox.reports(publishId),
    'the outcomes of a publish': () => outbox.outcomes(publishId, { after: 'fcm-', limit: 100 }),
    '5000 interests of a device': () => devices.setInterests(...one, many),
    '5000 others': () => devices.setInterests(...one, new Set([...many].map((name) => `${name}-2`))),
    'a device with 5000 interests': () => devices.remove(...one),
    'a user with 100 devices': () => devices.removeUser(instanceId, everybody[20]),
    'a thousand gone devices': () => devices.removeUnregistered(instanceId, gone),
    'devices not seen any more': () => devices.removeUnseen({ before: 2, now: 3, after: idOf(3000), limit: 100 }),
    'forgetting old outcomes': async () => {
      while ((await outbox.forgetOutcomes(1)) > 0);
    },
    'forgetting the publish': () => outbox.forget([publishId]),
  };
}
