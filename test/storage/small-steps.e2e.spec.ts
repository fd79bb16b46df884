import { beforeEach, describe, expect, it } from 'vitest';
import type { RemovedDevice } from 'rookery/push-device';
import type { Work } from 'rookery/internal/typeorm';
import { TypeOrmDeviceRepository, TypeOrmPublishOutbox } from 'rookery/typeorm';
import { useSqlite } from '../support/databases.js';
import { RecordedDatabase } from '../support/recorded-database.js';

/** Every third transaction fails. */
class OftenLockedDatabase extends RecordedDatabase {
  private writes = 0;

  override async write<T>(work: () => Work<T>): Promise<T> {
    if (++this.writes % 3 === 0) throw new Error('database is locked');
    return super.write(work);
  }
}

// On SQLite a statement holds up the whole process, so what can become long is done in several.
describe('On SQLite, in several steps', () => {
  const sqlite = useSqlite();
  let recorded: RecordedDatabase;
  const statements = (text: RegExp) => recorded.statements.filter((statement) => text.test(statement.text));
  const count = async (table: string) =>
    (await sqlite.database().read<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.n;

  const numbers = (n: number) =>
    `(WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${n}) SELECT n FROM numbers)`;
  const ids = Array.from({ length: 10 }, (_, n) => `fcm-${String(n + 1).padStart(2, '0')}`);

  /** Ten devices of one user, each with 900 interests. */
  async function addDevices(): Promise<void> {
    await sqlite.database().execute(
      `INSERT INTO rookery_devices (id, instance_id, platform, token, token_hash, user_id, metadata, registered_at, seen_at)
       SELECT printf('fcm-%02d', n), 'instance', 'fcm', n, n, 'alice', '{}', 1, 1 FROM ${numbers(10)}`,
    );
    await sqlite.database().execute(
      `INSERT INTO rookery_device_interests (instance_id, interest, device_id)
       SELECT 'instance', 'topic-' || i.n, printf('fcm-%02d', d.n) FROM ${numbers(900)} AS i, ${numbers(10)} AS d`,
    );
  }

  beforeEach(async () => {
    recorded = new RecordedDatabase(sqlite.database());
    await sqlite.database().execute('DELETE FROM rookery_devices');
    await sqlite.database().execute('DELETE FROM rookery_publishes');
    await addDevices();
  });

  const removals: readonly [string, (devices: TypeOrmDeviceRepository) => Promise<readonly RemovedDevice[]>][] = [
    [
      'gone',
      (devices) =>
        devices.removeUnregistered(
          'instance',
          [...ids, 'fcm-x'].map((id) => ({ id })),
        ),
    ],
    ['a user’s', (devices) => devices.removeUser('instance', 'alice')],
    ['unseen', async (devices) => (await devices.removeUnseen({ before: 2, now: 3, after: '', limit: 10 })).removed],
  ];

  it.each(removals)('removes %s devices with few interests at a time', async (_, remove) => {
    const removed = await remove(new TypeOrmDeviceRepository(recorded));
    expect(removed.map(({ id }) => id)).toEqual(ids);
    expect(statements(/DELETE FROM rookery_devices/)).toHaveLength(5);
    expect(await count('rookery_devices')).toBe(0);
    expect(await count('rookery_device_interests')).toBe(0);
  });

  it.each(removals)('answers each of %s devices once, though steps fail', async (_, remove) => {
    const devices = new TypeOrmDeviceRepository(new OftenLockedDatabase(sqlite.database()));
    const removed: string[] = [];
    for (let calls = 0; calls < 10; calls++) {
      const some = await remove(devices).catch(() => []);
      removed.push(...some.map(({ id }) => id));
    }
    expect(removed.toSorted()).toEqual(ids);
    expect(await count('rookery_devices')).toBe(0);
  });

  it('reads a page of many interests, as in a single step', async () => {
    await sqlite.database().execute(
      `INSERT INTO rookery_devices (id, instance_id, platform, token, token_hash, metadata, registered_at)
       SELECT printf('fcm-%03d', n), 'instance', 'fcm', 'more' || n, 'more' || n, '{}', 1 FROM ${numbers(450)}`,
    );
    await sqlite.database().execute(
      `INSERT INTO rookery_device_interests (instance_id, interest, device_id)
       SELECT 'instance', 'topic-' || (1 + d.n % 100), printf('fcm-%03d', d.n) FROM ${numbers(450)} AS d`,
    );
    const interests = Array.from({ length: 100 }, (_, n) => `topic-${n + 1}`);
    const devices = new TypeOrmDeviceRepository(recorded);
    const page = await devices.inAudience('instance', { interests }, 'fcm-005', 420);
    const expected = Array.from({ length: 420 }, (_, n) => `fcm-${String(n + 6).padStart(3, '0')}`);
    // Those of two digits stand between: fcm-01 is after fcm-009.
    const sorted = [...ids, ...expected, ...Array.from({ length: 25 }, (_, n) => `fcm-${426 + n}`)]
      .filter((id) => id > 'fcm-005')
      .toSorted();
    expect(page.map(({ id }) => id)).toEqual(sorted.slice(0, 420));
    expect(statements(/SELECT d\.id/)).toHaveLength(3);
  });

  it('reads a page of many users, as in a single step', async () => {
    await sqlite.database().execute(
      `INSERT INTO rookery_devices (id, instance_id, platform, token, token_hash, user_id, metadata, registered_at)
       SELECT printf('fcm-%03d', n), 'instance', 'fcm', 'more' || n, 'more' || n, 'user-' || (n % 500), '{}', 1
       FROM ${numbers(600)}`,
    );
    const users = Array.from({ length: 500 }, (_, n) => `user-${n}`);
    const devices = new TypeOrmDeviceRepository(recorded);
    const page = await devices.inAudience('instance', { users: [...users, 'user-0'] }, 'fcm-100', 300);
    expect(page.map(({ id }) => id)).toEqual(Array.from({ length: 300 }, (_, n) => `fcm-${n + 101}`));
    expect(statements(/SELECT d\.id/)).toHaveLength(3);
  });

  it('forgets a publish with the outcomes of its devices', async () => {
    await sqlite
      .database()
      .execute(
        `INSERT INTO rookery_publishes (id, instance_id, body, created_at, finished_at) VALUES ('pubid-1', 'i', '{}', 1, 2)`,
      );
    await sqlite.database().execute(
      `INSERT INTO rookery_publish_outcomes (publish_id, last_id, saved_at, devices)
       SELECT 'pubid-1', 'fcm-' || n, 1, '{}' FROM ${numbers(450)}`,
    );
    await sqlite.database().execute(
      `INSERT INTO rookery_publish_later_outcomes (publish_id, device_id, saved_at, outcome)
       SELECT 'pubid-1', 'fcm-' || n, 1, '{}' FROM ${numbers(250)}`,
    );
    await new TypeOrmPublishOutbox(recorded).forget(['pubid-1']);
    expect(statements(/DELETE FROM rookery_publish_(later_)?outcomes/)).toHaveLength(5);
    for (const table of ['rookery_publishes', 'rookery_publish_outcomes', 'rookery_publish_later_outcomes'])
      expect(await count(table)).toBe(0);
  });
});
