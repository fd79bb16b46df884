import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import type { NewNotification } from 'rookery/notifications';
import { publishOf } from 'rookery/publish';
import { TypeOrmNotificationRepository, TypeOrmPublishOutbox } from 'rookery/typeorm';
import { usePostgres } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

const start = 1_700_000_000_000;
const comment = (): NewNotification => ({
  id: randomUUID(),
  appId: 'app',
  userId: 'ann',
  collapseKey: 'comments',
  event: { name: 'comment', data: '{}' },
  push: { fcm: {} },
  pushAt: start,
  createdAt: start,
});

describePostgres('Two processes that change the notifications of a user', () => {
  const { database } = usePostgres();
  let notifications: TypeOrmNotificationRepository;
  beforeAll(() => void (notifications = new TypeOrmNotificationRepository(database())));

  it('wait for each other in the same order: none is ended by a deadlock', async () => {
    await notifications.add([comment()], 'never');
    const [job] = await notifications.jobs.claim({
      id: randomUUID(),
      now: start,
      limit: 1,
      perKey: 1,
      busy: new Set(),
      leaseMs: 60_000,
    });
    const holder = database().dataSource.createQueryRunner();
    await holder.startTransaction();
    const lock = 'SELECT pg_advisory_xact_lock(hashtextextended($1, 0))';
    await holder.query(lock, [`rookery notifications ${JSON.stringify(['app', 'ann'])}`]);
    const waiting = (many: number) =>
      until(async () => {
        const locks = `SELECT COUNT(*) AS count FROM pg_locks WHERE NOT granted`;
        const [row] = await database().read<{ count: string }>(locks, []);
        return Number(row!.count) === many;
      }, `${many} wait for the user`);

    // The second replaces the first, whose push with an hourly limit comes between.
    const replaced = notifications.add([comment()], 'never');
    await waiting(1);
    const publish = publishOf(randomUUID(), { users: ['ann'], fcm: {} }, start);
    const outbox = new TypeOrmPublishOutbox(database());
    const pushed = notifications.push(job!, start, 10, { publish, outbox });
    await waiting(2);
    await holder.commitTransaction();
    await holder.release();

    expect(await replaced).toEqual([{ id: job!.id, userId: 'ann' }]);
    expect(await pushed).toBe('lost');
    // Rookery repeats its own transactions after a deadlock, but cannot repeat a host's.
    const ended = 'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()';
    expect(await database().read(ended, [])).toEqual([{ deadlocks: '0' }]);
  });
});
