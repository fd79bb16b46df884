import { beforeAll, expect, it } from 'vitest';
import { jobOf, webhookDelivery } from '#webhooks';
import { type Partition, type PartitionChange, newPartition, publishOf } from 'rookery/publish';
import type { ClaimedJob } from 'rookery/jobs';
import { type Database, TypeOrmPublishOutbox, TypeOrmJobStore } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { RecordedDatabase } from '../support/recorded-database.js';

/** Enough that reading a table as a whole would look cheaper to no planner. */
const rows = 50_000;
const partition: Partition = newPartition('fcm', 0);
const retry = (deviceId: string) => ({ deviceId, attempts: 1, dueAt: 1 });
const heardOf = (of: 'page' | 'retries'): PartitionChange => ({
  again: [],
  settled: [],
  outcomes: { of, at: 1, devices: [{ deviceId: 'fcm-1', outcome: 'sent' }] },
});
const range: Partition = { ...partition, from: 'fcm-8', cursor: 'fcm-8' };
const handedOver: PartitionChange = {
  again: [],
  settled: [],
  handedOver: { partition: { ...range, from: 'fcm-c', cursor: 'fcm-c' }, dueAt: 500 },
};
const jobOfPublish = (id: string): ClaimedJob => {
  return { id, owner: 'instance', key: id, dueAt: 1, data: '', state: '', claimId: 'owner' };
};
const rangeOf = (id: string) => ({ ...jobOfPublish(id), id: `${id}/fcm-8`, data: 'fcm-8' });
const once = { key: 'k', fingerprint: 'f', expiresAt: 9 };
const report = { publishId: 'pubid-7', platform: 'fcm', event: 'open', deviceId: 'fcm-1' } as const;
const claim = { id: 'claim', now: 100, limit: 10, perKey: 2, busy: new Set<string>(), leaseMs: 1 };
const hook = jobOf(webhookDelivery({ owner: 'instance', url: 'https://example.com', headers: {}, body: '{}' }, 1));
const held = (id: string) => ({ ...hook, id, claimId: 'held' });

const outbox = (database: Database) => new TypeOrmPublishOutbox(database);
const webhooks = (database: Database) => new TypeOrmJobStore(database);

const keptLetters = { most: 400, maxBytes: 1_000_000, keepMs: 980_000 };
const newTries = { dueAt: 9, state: '' };

const questions: readonly (readonly [string, (database: Database) => unknown])[] = [
  ['adds a publish', (on) => outbox(on).add(publishOf('instance', { interests: ['a'], fcm: {} }, 1), once)],
  ['claims a publish that is due', (on) => outbox(on).jobs.claim(claim)],
  ['claims publishes beside many ranges', (on) => outbox(on).jobs.claim({ ...claim, limit: 1000, perKey: 1 })],
  ['saves a range and hands another over', (on) => outbox(on).save(rangeOf('pubid-600'), range, handedOver)],
  ['leaves a range', (on) => outbox(on).leave(rangeOf('pubid-602'))],
  ['renews a lease', (on) => outbox(on).jobs.renew(jobOfPublish('pubid-7'), 100)],
  [
    'saves a page',
    (on) => outbox(on).save(jobOfPublish('pubid-7'), partition, { again: [retry('a')], settled: ['b', 'c'] }),
  ],
  ['saves outcomes', (on) => outbox(on).save(jobOfPublish('pubid-7'), partition, heardOf('page'))],
  ['saves later outcomes', (on) => outbox(on).save(jobOfPublish('pubid-7'), partition, heardOf('retries'))],
  ['reads outcomes', (on) => outbox(on).outcomes('pubid-7', { after: 'fcm-1', limit: 100 })],
  ['forgets old outcomes', (on) => outbox(on).forgetOutcomes(10)],
  ['finds the retries that are due', (on) => outbox(on).retries('pubid-7', 'fcm', 100, 10)],
  ['counts what is waiting', (on) => outbox(on).waiting('pubid-7')],
  ['releases a publish', (on) => outbox(on).jobs.retry(jobOfPublish('pubid-8'), 100)],
  ['finishes a publish', (on) => outbox(on).finish(jobOfPublish('pubid-7'), 100)],
  ['counts what waits for a worker', (on) => outbox(on).jobs.backlog(100)],
  ['cancels a publish', (on) => outbox(on).cancel('instance', 'pubid-7', 100)],
  ['finds a publish', (on) => outbox(on).find('instance', 'pubid-9')],
  ['knows a publish', (on) => outbox(on).knows('instance', 'pubid-9')],
  ['finds what is old', (on) => outbox(on).finishedBefore(20, 10)],
  ['forgets a publish', (on) => outbox(on).forget(['pubid-9', 'pubid-10'])],
  ['forgets old keys', (on) => outbox(on).forgetKeys(2)],
  ['looks for a report', (on) => outbox(on).isReported(report)],
  ['adds a report', (on) => outbox(on).report(report)],
  ['counts the reports of a publish', (on) => outbox(on).reports('pubid-7')],
  ['adds a webhook', (on) => webhooks(on).add([hook])],
  ['claims webhooks past a long queue of one endpoint', (on) => webhooks(on).claim(claim)],
  ['puts a webhook off', (on) => webhooks(on).retry(held('hook-5'), 9, '')],
  ['renews a job', (on) => webhooks(on).renew(held('hook-5'), 9)],
  ['forgets a webhook', (on) => webhooks(on).done(held('hook-5'))],
  ['buries a webhook', (on) => webhooks(on).bury(held('hook-6'), { diedAt: 1e6, reason: 'x' }, keptLetters)],
  ['lists the dead webhooks of an owner', (on) => webhooks(on).dead('owner-7', '', 100)],
  ['lists the latest dead webhooks of an owner', (on) => webhooks(on).latestDead('owner-7', '', 100)],
  ['counts the dead webhooks of an owner', (on) => webhooks(on).deadCounts('owner-7')],
  ['sends a dead webhook again', (on) => webhooks(on).resend('owner-7', ['dead-107', 'dead-207'], newTries)],
];

describeDatabases(`Among ${rows} publishes, reports and webhooks the database`, ({ database }) => {
  beforeAll(async () => {
    const series =
      database().dialect.name === 'postgres'
        ? `generate_series(1, ${rows}) AS numbers(n)`
        : `(WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})
            SELECT n FROM numbers)`;
    const body = JSON.stringify({ audience: { interests: ['a'] }, payloads: { fcm: {} } });
    const statements = [
      `INSERT INTO rookery_publishes (id, instance_id, body, created_at, finished_at)
       SELECT 'pubid-' || n, 'instance', '${body}', n, CASE WHEN n >= 1000 THEN n END FROM ${series}`,
      `INSERT INTO rookery_jobs (queue, id, owner, key, due_at, free_at, claim_id, position, data, state)
       SELECT 'publishes', 'pubid-' || n, 'instance', 'pubid-' || n, n, n, 'owner', n, '""', '"begun"' FROM ${series}
       WHERE n < 1000`,
      `INSERT INTO rookery_jobs (queue, id, owner, key, due_at, free_at, claim_id, position, data, state)
       SELECT 'publishes', 'pubid-' || n || '/fcm-8', 'instance', 'pubid-' || n, 50050 - n, 50050 - n, 'owner', n,
         '"fcm-8"', '""' FROM ${series}`,
      `INSERT INTO rookery_publish_partitions (publish_id, partition, state)
       SELECT 'pubid-' || n, 'fcm', '${JSON.stringify(partition)}' FROM ${series}`,
      `INSERT INTO rookery_publish_retries (publish_id, partition, device_id, attempts, due_at)
       SELECT 'pubid-' || (n % 50 + 1), 'fcm', 'fcm-' || n, 1, n FROM ${series}`,
      `INSERT INTO rookery_publish_outcomes (publish_id, last_id, saved_at, devices)
       SELECT 'pubid-' || (n % 500 + 1), 'fcm-' || n, n, '{"sent":[],"failed":{},"retrying":{}}' FROM ${series}`,
      `INSERT INTO rookery_publish_later_outcomes (publish_id, device_id, saved_at, outcome)
       SELECT 'pubid-' || (n % 500 + 1), 'fcm-' || n, n, '{"outcome":"sent"}' FROM ${series}`,
      `INSERT INTO rookery_publish_keys (instance_id, once_key, fingerprint, publish_id, expires_at)
       SELECT 'instance', 'key-' || n, 'f', 'pubid-' || n, n FROM ${series}`,
      `INSERT INTO rookery_reports (publish_id, platform, event, device_id)
       SELECT 'pubid-' || (n % 500), 'fcm', 'open', 'fcm-' || n FROM ${series}`,
      `INSERT INTO rookery_report_counts (publish_id, platform, event, part, count)
       SELECT 'pubid-' || n, 'fcm', 'open', 0, 1 FROM ${series}`,
      `INSERT INTO rookery_jobs (queue, id, owner, key, due_at, free_at, position, data, state)
       SELECT 'webhooks', 'hook-' || n, 'instance', CASE WHEN n < 49000 THEN 'slow' ELSE 'end-' || (n % 10) END, n, n % 200,
         n, '${JSON.stringify(hook.data)}', '${JSON.stringify(hook.state)}' FROM ${series}`,
      `UPDATE rookery_jobs SET claim_id = 'held' WHERE id IN ('hook-5', 'hook-6')`,
      `INSERT INTO rookery_dead_jobs (queue, id, owner, place, died_at, reason, key, due_at, data, state)
       SELECT 'webhooks', 'dead-' || n, 'owner-' || (n % 100), '0000000000' || (10000 + n) || ' dead-' || n, 10000 + n,
         'x', 'key', n, '${JSON.stringify(hook.data)}', '${JSON.stringify(hook.state)}' FROM ${series}`,
      `INSERT INTO rookery_dropped_dead_jobs (queue, owner, dropped) SELECT 'webhooks', 'owner-' || n, n FROM ${series}`,
    ];
    for (const statement of statements) await database().execute(statement);
    await database().execute('ANALYZE');
  }, 300_000);

  it.each(questions)('%s through indexes', async (question, ask) => {
    const recorded = new RecordedDatabase(database());
    await ask(recorded);
    expect(recorded.statements).not.toEqual([]);
    for (const statement of recorded.statements) {
      const { lines, readWhole } = await recorded.plan(statement);
      if (process.env['SHOW_PLANS']) console.log([`${question}: ${statement.text.slice(0, 200)}`, ...lines].join('\n'));
      expect(readWhole).toEqual([]);
    }
  });
});
