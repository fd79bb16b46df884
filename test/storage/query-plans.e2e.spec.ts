import { beforeAll, describe, expect, it } from 'vitest';
import type { DeviceRepository } from 'rookery/push-device';
import { TypeOrmDeviceRepository } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { RecordedDatabase } from '../support/recorded-database.js';

/** Enough that reading a table as a whole would look cheaper to no planner. `DEVICES=1000000` is the full size. */
const deviceCount = Number(process.env['DEVICES'] ?? 50_000);
const instance = 'instance';
const id = 'fcm-1';

const questions: readonly (readonly [string, (devices: DeviceRepository) => unknown])[] = [
  ['finds a device', (devices) => devices.find(instance, 'fcm', id)],
  ['registers', (devices) => devices.register(instance, { platform: 'fcm', token: 'new', metadata: {} }, 1)],
  ['sets metadata', (devices) => devices.setMetadata(instance, 'fcm', id, {})],
  ['sets a token', (devices) => devices.setToken(instance, 'fcm', id, 'newer', 1)],
  ['sets a user', (devices) => devices.setUser(instance, 'fcm', id, 'new user')],
  ['reads a page of interests', (devices) => devices.interests(instance, 'fcm', id, 'a', 101)],
  ['sets interests', (devices) => devices.setInterests(instance, 'fcm', id, new Set(['a', 'b']))],
  ['adds an interest', (devices) => devices.addInterest(instance, 'fcm', id, 'c')],
  ['removes an interest', (devices) => devices.removeInterest(instance, 'fcm', id, 'c')],
  ['expands an interest', (devices) => devices.inAudience(instance, { interests: ['popular'] }, 'fcm-3', 1000)],
  [
    'expands several interests',
    (devices) => devices.inAudience(instance, { interests: ['popular', 'common-1', 'common-2'] }, 'fcm-3', 1000),
  ],
  [
    'expands a hundred interests',
    (devices) =>
      devices.inAudience(instance, { interests: Array.from({ length: 100 }, (_, n) => `common-${n}`) }, 'fcm-3', 1000),
  ],
  [
    'expands an interest without the devices of others',
    (devices) => devices.inAudience(instance, { interests: ['popular'], noneOf: ['common-10'] }, 'fcm-3', 1000),
  ],
  [
    'expands the devices that interests have in common',
    (devices) =>
      devices.inAudience(
        instance,
        { interests: ['popular', 'common-1'], allOf: ['popular', 'common-20'], noneOf: ['common-1', 'common-2'] },
        'fcm-3',
        1000,
      ),
  ],
  ['expands users', (devices) => devices.inAudience(instance, { users: ['user-1', 'user-2'] }, 'fcm-3', 1000)],
  [
    'expands a thousand users',
    (devices) =>
      devices.inAudience(instance, { users: Array.from({ length: 1000 }, (_, n) => `user-${n}`) }, 'fcm-3', 1000),
  ],
  ['lists the latest', (devices) => devices.latest(instance, 100)],
  ['lists those before', (devices) => devices.latest(instance, 100, { registeredAt: 700, id: 'fcm-700' })],
  [
    'marks a page of the unregistered',
    (devices) =>
      devices.markGone(
        instance,
        Array.from({ length: 1000 }, (_, n) => ({ id: `fcm-${1000 + n}`, before: 0 })),
        1,
      ),
  ],
  ['unmarks devices', (devices) => devices.unmarkGone(instance, ['fcm-2', 'fcm-3'])],
  ['removes the unregistered', (devices) => devices.removeUnregistered(instance, [{ id: 'fcm-2', before: 0 }])],
  [
    'removes a page of the unregistered',
    (devices) =>
      devices.removeUnregistered(
        instance,
        Array.from({ length: 1000 }, (_, n) => ({ id: `fcm-${1000 + n}`, before: 0 })),
      ),
  ],
  ['sees a device', (devices) => devices.see(instance, 'fcm', id, 1e12)],
  ['looks for the unseen', (devices) => devices.removeUnseen({ before: 0, now: 1e12, after: 'fcm-3', limit: 100 })],
  ['removes a device', (devices) => devices.remove(instance, 'fcm', 'fcm-4')],
  ['removes a user', (devices) => devices.removeUser(instance, 'user-5')],
];

describeDatabases(`Among ${deviceCount} devices the repository`, ({ database }) => {
  beforeAll(async () => {
    const series =
      database().dialect.name === 'postgres'
        ? `generate_series(1, ${deviceCount}) AS numbers(n)`
        : `(WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${deviceCount})
            SELECT n FROM numbers)`;
    await database().execute(
      `INSERT INTO rookery_devices (id, instance_id, platform, token, token_hash, user_id, metadata, registered_at)
       SELECT 'fcm-' || n, ?, 'fcm', 'token' || n, 'hash' || n, 'user-' || (n % 20000), '{}', n FROM ${series}`,
      [instance],
    );
    await subscribeAll(`'popular'`, 'n % 10 = 0');
    await subscribeAll(`'common-' || (n % 100)`, '1 = 1');
    await database().execute(`UPDATE rookery_devices SET user_id = NULL WHERE id = ?`, [id]);

    async function subscribeAll(interest: string, condition: string) {
      await database().execute(
        `INSERT INTO rookery_device_interests (instance_id, interest, device_id)
         SELECT instance_id, ${interest}, id FROM (SELECT instance_id, id, registered_at AS n FROM rookery_devices) AS d
         WHERE ${condition}`,
      );
    }
  }, 300_000);

  describe.each([
    ['without statistics, as on a new database', undefined],
    ['with statistics', 'ANALYZE'],
  ])('%s', (_, prepare) => {
    beforeAll(async () => {
      if (prepare) await database().execute(prepare);
    });

    it.each(questions)('%s through indexes', async (question, ask) => {
      const recorded = new RecordedDatabase(database());
      await ask(new TypeOrmDeviceRepository(recorded));
      expect(recorded.statements).not.toEqual([]);
      for (const statement of recorded.statements) {
        const { lines, readWhole } = await recorded.plan(statement);
        if (process.env['SHOW_PLANS'])
          console.log([`${question}: ${statement.text.slice(0, 200)}`, ...lines].join('\n'));
        expect(readWhole).toEqual([]);
      }
    });
  });

  it('walks an audience in pages, each device once', async () => {
    const devices = new TypeOrmDeviceRepository(database());
    const seen = new Set<string>();
    for (let after = ''; ;) {
      const page = await devices.inAudience(
        instance,
        { interests: ['popular', 'common-10', 'common-20'] },
        after,
        1000,
      );
      for (const device of page) seen.add(device.id);
      if (page.length < 1000) break;
      after = page.at(-1)!.id;
    }
    expect(seen.size).toBe(Math.floor(deviceCount / 10));
  }, 60_000);

  it('reads what a popular and a rare interest have in common at once, whichever is named first', async () => {
    for (const [one, other] of [
      ['popular', 'common-20'],
      ['common-20', 'popular'],
    ] as const) {
      const recorded = new RecordedDatabase(database());
      const devices = new TypeOrmDeviceRepository(recorded);
      expect(await devices.inAudience(instance, { interests: [one], allOf: [other] }, '', 1000)).toHaveLength(
        deviceCount / 100,
      );
      expect(recorded.statements).toHaveLength(1);
    }
  });

  it('reads past thousands of excluded devices in short reads', async () => {
    const recorded = new RecordedDatabase(database());
    const devices = new TypeOrmDeviceRepository(recorded);
    const named = (count: number) => Array.from({ length: count }, (_, n) => `common-${n}`);
    const target = { interests: named(50), noneOf: named(49) };
    const page = await devices.inAudience(instance, target, '', 1000);
    const left = await devices.inAudience(instance, { interests: ['common-49'] }, '', 1000);
    expect(page).toEqual(left);
    expect(page).toHaveLength(deviceCount / 100);
    expect(recorded.statements.length).toBeGreaterThan(100);
  }, 60_000);

  it('detects a full table scan', async () => {
    const recorded = new RecordedDatabase(database());
    const { readWhole } = await recorded.plan({
      text: `SELECT * FROM rookery_devices WHERE token = ?`,
      parameters: ['x'],
    });
    expect(readWhole).toHaveLength(1);
  });
});
