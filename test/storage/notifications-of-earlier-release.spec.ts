import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import type { ClaimedJob } from 'rookery/jobs';
import type { NewNotification } from 'rookery/notifications';
import { publishOf } from 'rookery/publish';
import { TypeOrmNotificationRepository, TypeOrmPublishOutbox } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';

const start = 1_700_000_000_000;
const instanceId = '11111111-1111-4111-8111-111111111111';

const toldTo = (userId: string, more: Partial<NewNotification> = {}): NewNotification => ({
  id: randomUUID(),
  appId: 'app',
  userId,
  event: { name: 'message', data: '{}' },
  push: { fcm: {} },
  pushAt: start,
  createdAt: start,
  ...more,
});

// The release before had no jobs for notifications: their rows contained the due time and the claim.
describeDatabases('Notifications of a process of the release before', ({ database }) => {
  let notifications: TypeOrmNotificationRepository;
  let published: string[];
  beforeEach(async () => {
    for (const table of ['rookery_notifications', 'rookery_jobs', 'rookery_publishes'])
      await database().execute(`DELETE FROM ${table}`);
    notifications = new TypeOrmNotificationRepository(database());
    published = [];
  });

  const rows = (text: string, parameters: readonly unknown[] = []) =>
    database().read<Record<string, unknown>>(text, parameters);

  /** As that release added it, and claimed it if `owner` is given. */
  async function addedThere(
    userId: string,
    { dueAt = start, owner, ...more }: { dueAt?: number; owner?: string; collapseKey?: string } = {},
  ) {
    const added = toldTo(userId, more);
    const { pushAt: _, ...withoutJob } = added;
    await notifications.add(withoutJob, false);
    const marked = 'UPDATE rookery_notifications SET push_at = ?, due_at = ?, owner = ? WHERE id = ?';
    await database().execute(marked, [start, dueAt, owner ?? null, added.id]);
    return added.id;
  }

  const claim = (now: number): Promise<readonly ClaimedJob[]> =>
    notifications.jobs.claim({ id: randomUUID(), now, limit: 100, perKey: 1, busy: new Set(), leaseMs: 1000 });
  const claimed = async (now: number) => (await claim(now)).map(({ id }) => id);

  const push = (job: ClaimedJob, now = start) =>
    notifications.push(job, now, Infinity, async (transaction) => {
      const publish = publishOf(instanceId, { users: ['ann'], fcm: {} }, now);
      published.push(publish.id);
      const within = { transaction: transaction!, committed: () => undefined };
      await new TypeOrmPublishOutbox(database()).add(publish, undefined, within);
      return { publishId: publish.id };
    });

  it('are pushed here once they are due, or once its lease has ended', async () => {
    const waiting = await addedThere('ann');
    const later = await addedThere('bob', { dueAt: start + 5000 });
    const held = await addedThere('eve', { dueAt: start + 2000, owner: 'worker' });
    const [job, ...others] = (await claim(start)) as [ClaimedJob, ...ClaimedJob[]];
    expect([job.id, others]).toEqual([waiting, []]);
    expect(await push(job)).toBe('pushed');
    expect(await claimed(start + 2000)).toEqual([held]);
    expect((await claimed(start + 5000)).toSorted()).toEqual([held, later].toSorted());
    expect(await rows('SELECT id FROM rookery_notifications WHERE due_at IS NOT NULL')).toEqual([]);
  });

  it('are all pushed, however many wait', async () => {
    const ids = await Promise.all(Array.from({ length: 60 }, (_, n) => addedThere(`user ${n}`)));
    const copies = `WITH RECURSIVE copies(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < 10)
      INSERT INTO rookery_notifications (id, app_id, user_id, event_name, event_data, push, created_at, push_at, due_at)
      SELECT id || '-' || n, app_id, user_id, event_name, event_data, push, created_at, push_at, due_at
      FROM rookery_notifications, copies`;
    await database().execute(copies);
    await claim(start);
    expect(await notifications.jobs.size()).toBe(ids.length * 11);
  });

  it('are taken back here when that process marked them as read', async () => {
    const added = toldTo('ann');
    const { id } = added;
    await notifications.add(added, true);
    const [pushed] = (await claim(start)) as [ClaimedJob];
    await push(pushed);
    const read =
      'UPDATE rookery_notifications SET read_at = ?, withdrawn_at = ?, owner = NULL, due_at = ? WHERE id = ?';
    await database().execute(read, [start, start, start + 1000, id]);
    const [job] = (await claim(start + 1000)) as [ClaimedJob];
    expect(job.id).toBe(id);
    const outbox = new TypeOrmPublishOutbox(database());
    const withdrawal = publishOf(instanceId, { users: ['ann'], fcm: {} }, start);
    const publish = async (transaction?: object) => {
      await outbox.add(withdrawal, undefined, { transaction: transaction!, committed: () => undefined });
      return { publishId: withdrawal.id };
    };
    expect(await notifications.withdraw(job, publish)).toBe('withdrawn');
    expect(await claimed(start + 10_000)).toEqual([]);
  });

  it('are not pushed by it once they are shown, read or replaced here', async () => {
    const shown = await addedThere('ann');
    const read = await addedThere('ann');
    await addedThere('ann', { collapseKey: 'chat' });
    await notifications.shown('app', shown, start);
    await notifications.read('app', read, start, true);
    const newer = toldTo('ann', { collapseKey: 'chat' });
    await notifications.add(newer, true);
    expect(await rows('SELECT id FROM rookery_notifications WHERE due_at IS NOT NULL')).toEqual([]);
    expect(await claimed(start + 1000)).toEqual([newer.id]);
  });

  it.each(['shown_at', 'withdrawn_at'])('are not pushed here when that process has set %s', async (column) => {
    const added = toldTo('ann');
    await notifications.add(added, true);
    await database().execute(`UPDATE rookery_notifications SET ${column} = ?, due_at = NULL WHERE id = ?`, [
      start,
      added.id,
    ]);
    const [job] = (await claim(start)) as [ClaimedJob];
    expect(await push(job)).toBe('lost');
    expect(await rows('SELECT id FROM rookery_publishes')).toEqual([]);
    expect(published).toHaveLength(1);
    expect(await notifications.jobs.size()).toBe(0);
  });

  it('are kept while they wait', async () => {
    const id = await addedThere('ann', { dueAt: start + 10_000 });
    expect(await notifications.forget('app', start + 5000, 10)).toBe(0);
    expect(await notifications.find('app', id)).toBeDefined();
  });
});
