import { expect, it } from 'vitest';
import {
  type Database,
  TypeOrmAnnouncementRepository,
  TypeOrmAppRepository,
  TypeOrmBroker,
  TypeOrmDeviceRepository,
  TypeOrmInstanceRepository,
  TypeOrmJobStore,
  TypeOrmLiveActivityRepository,
  TypeOrmNotificationRepository,
  TypeOrmPublishOutbox,
  TypeOrmRequestRates,
  TypeOrmSessionRepository,
  TypeOrmTriggerOutbox,
} from 'rookery/internal/typeorm';
import { testingInstance } from '@rookery/testing';
import type { ClaimedJob } from 'rookery/jobs';
import { SettingsConflict } from 'rookery/internal/push-device';
import { newPartition } from '../../libs/publish/src/outbox/partition.js';
import { forgetting } from '../../libs/typeorm/src/events/forgetting.js';
import { publishOf } from '../../libs/publish/src/publish.js';
import { describeDatabases } from '../support/databases.js';
import { type Guard, outcomesBetween } from './between-statements.js';

// Another writer between any two statements of each method that reads and then writes: nothing is lost or done twice.
// Not here: methods of single statements, and of statements that do not depend on each other, as in the store of the
// console; and functions of PostgreSQL, which postgres-lanes.e2e.spec.ts tests.

const now = 1_700_000_000_000;
const guard = <Port>(guard: Guard<Port>): Guard<unknown> => guard;

const idOf = (name: string, n = 0): string => `fcm-${name}-${n}`;
const devices = (of: Omit<Guard<TypeOrmDeviceRepository>, 'port'>) =>
  guard({ port: (database) => new TypeOrmDeviceRepository(database), ...of });
/** The ids are random, and in no order. */
const ids = new Map<string, string>();
const register = async (port: TypeOrmDeviceRepository, name: string, token: string, at = now): Promise<void> => {
  const { id } = await port.register(name, { platform: 'fcm', token, metadata: {} }, at);
  ids.set(`${name} ${token}`, id);
};
const deviceOf = (name: string, token: string): string => ids.get(`${name} ${token}`)!;
const kept = async (port: TypeOrmDeviceRepository, name: string) => {
  const all = await port.latest(name, 200);
  const found = await Promise.all(all.map(({ id }) => port.find(name, 'fcm', id)));
  return found
    .map((device) => `${device?.token} ${device?.userId ?? ''} ${device?.goneSince ?? ''}`)
    .toSorted()
    .slice(-5);
};

const webhooks = (of: Omit<Guard<TypeOrmJobStore>, 'port'>) =>
  guard({ port: (database) => new TypeOrmJobStore(database, 'webhooks'), ...of });
const job = (name: string, n = 0) => ({
  id: `${name} ${n}`,
  owner: name,
  key: name,
  dueAt: now,
  data: '',
  state: '',
});
const claimOf = (name: string, by: string, at = now) => ({
  id: `${name} ${by}`,
  now: at,
  limit: 10,
  perKey: 10,
  busy: new Set<string>(),
  leaseMs: 1000,
});
const claims = new Map<string, ClaimedJob>();
const own = (jobs: readonly ClaimedJob[], name: string) => jobs.filter(({ owner }) => owner === name);
const claim = async (port: TypeOrmJobStore, name: string, by = 'early', at = now) => {
  const found = own(await port.claim(claimOf(name, by, at)), name);
  for (const each of found) claims.set(`${name} ${by}`, each);
  return found.length;
};
const limits = { most: 10, maxBytes: 100_000, keepMs: 1_000_000 };
const jobsOf = async (port: TypeOrmJobStore, name: string) => ({
  dead: (await port.dead(name, '', 10)).map(({ job: { id } }) => id),
  claimed: own(await port.claim(claimOf(name, 'end', now + 10_000)), name).map(({ id }) => id),
});

const notifications = (of: Omit<Guard<TypeOrmNotificationRepository>, 'port'>) =>
  guard({ port: (database) => new TypeOrmNotificationRepository(database), ...of });
const uuid = (name: string, n: number): string =>
  `00000000-0000-4000-8000-${(Number(name.split('-')[1]) * 10 + n).toString().padStart(12, '0')}`;
const notification = (name: string, n: number, at = now) => ({
  id: uuid(name, n),
  appId: name,
  userId: 'ann',
  event: { name: 'note', data: '{}' },
  push: { fcm: { notification: { title: 'hi' } } },
  collapseKey: 'key',
  createdAt: at,
  pushAt: at,
});
const feedOf = async (port: TypeOrmNotificationRepository, name: string) => ({
  unread: await port.unread(name, 'ann'),
  feed: (await port.feed(name, 'ann', 10)).map(({ createdAt, readAt }) => ({ createdAt, readAt })),
  withdrawn: (await port.latest(name, 10)).filter(({ withdrawnAt }) => withdrawnAt !== undefined).length,
  jobs: own(await port.jobs.claim(claimOf(name, 'end', now + 10_000)), name).length,
});

const publishes = (of: Omit<Guard<TypeOrmPublishOutbox>, 'port'>) =>
  guard({ port: (database) => new TypeOrmPublishOutbox(database), ...of });
const publish = (name: string, id = name) => ({
  ...publishOf(name, { interests: ['news'], fcm: { notification: { title: 'hi' } } }, now),
  id,
});
const once = { key: 'key', fingerprint: 'same', expiresAt: now + 1_000_000 };
const publishState = async (port: TypeOrmPublishOutbox, name: string) => {
  const all = await port.latest(name, 10);
  const record = all[0] && (await port.find(name, all[0].id));
  return {
    count: all.length,
    isFinished: record?.finishedAt !== undefined,
    isCancelled: record?.cancelledAt !== undefined,
    partitions: record?.partitions.map(({ sent }) => sent),
    jobs: own(await port.jobs.claim(claimOf(name, 'end', now + 10_000)), name).length,
  };
};
const claimedPublish = async (port: TypeOrmPublishOutbox, name: string, by = 'early', at = now): Promise<void> => {
  for (const each of own(await port.jobs.claim(claimOf(name, by, at)), name)) claims.set(`${name} ${by}`, each);
};
const report = (name: string) => ({
  publishId: name,
  platform: 'fcm' as const,
  deviceId: idOf(name),
  event: 'open' as const,
});

const channel = (name: string) => ({
  instanceId: name,
  environment: 'production',
  interest: 'match',
  bundleIdentifier: 'com.example',
});
const reservation = (by: string) => ({ by, now, until: now + 1000 });

/** One lease for all events of a database: each run is later than the leases of those before. */
const laterBy = (name: string, ms: number): number => now + Number(name.split('-')[1]) * 10_000 + ms;
interface Relayed {
  readonly outbox: TypeOrmTriggerOutbox;
  readonly database: Database;
}
const triggers = (of: Omit<Guard<Relayed>, 'port'>) =>
  guard({ port: (database) => ({ outbox: new TypeOrmTriggerOutbox(database), database }), ...of });
const trigger = ({ outbox, database }: Relayed, name: string, n = 0): Promise<void> =>
  database.dataSource.transaction((transaction) =>
    outbox.add([{ id: `${name} ${n}`, appId: name, channel: 'c', name: 'e', data: '', createdAt: laterBy(name, 0) }], {
      transaction,
      committed: () => {},
    }),
  );
/** @returns what this run's events are that the relay gets */
const relay = async ({ outbox }: Relayed, name: string, by: string, ms = 0): Promise<readonly string[]> => {
  const claim = { owner: `${name} ${by}`, now: laterBy(name, ms), leaseMs: 1000, after: 0, limit: 1000 };
  return (await outbox.claim(claim)).filter(({ appId }) => appId === name).map(({ id }) => id);
};
const triggerState = async (of: Relayed, name: string) => ({
  buried: await of.database.read('SELECT id, reason FROM rookery_triggers WHERE app_id = ? AND position = 0', [name]),
  left: await relay(of, name, 'end', 5000),
});

const announcements = (of: Omit<Guard<TypeOrmAnnouncementRepository>, 'port'>) =>
  guard({ port: (database) => new TypeOrmAnnouncementRepository(database), close: (port) => port.close(), ...of });
const announced = (name: string, channel: string, isThere: boolean) => ({
  appId: name,
  channel,
  userId: '',
  isThere,
});

const apps = (of: Omit<Guard<TypeOrmAppRepository>, 'port'>) =>
  guard({ port: (database) => new TypeOrmAppRepository(database), ...of });
const appOf = (name: string, n: number, key: string) => ({ id: `${name} ${n}`, key: `${name} ${key}`, secret: 's' });

interface Keeping {
  readonly broker: TypeOrmBroker;
  readonly database: Database;
}
const keptEvents = (of: Omit<Guard<Keeping>, 'port'>) =>
  guard({
    port: (database) => ({ broker: new TypeOrmBroker(database), database }),
    close: ({ broker }) => broker.onApplicationShutdown(),
    ...of,
  });
const publishKept = async ({ broker }: Keeping, name: string, text: string): Promise<void> => {
  const history = { events: 2, seconds: 1000, bytes: 1_000_000 };
  await broker.publish({ kind: 'event', appId: name, channel: 'c', text, history });
};
const historyOf = async ({ broker, database }: Keeping, name: string) => {
  const { events } = await broker.history(name, 'c', 10);
  const [row] = await database.read('SELECT count, bytes FROM rookery_histories WHERE name = ?', [
    `${name.length} ${name} c`,
  ]);
  return { texts: events.map(({ text }) => text), row };
};

interface Saving {
  readonly sessions: TypeOrmSessionRepository;
  readonly database: Database;
}
const sessionOf = (name: string) => ({ appId: name, key: 'k', id: 'session' });
const sessions = (of: Omit<Guard<Saving>, 'port'>) =>
  guard({
    port: (database) => ({ sessions: new TypeOrmSessionRepository(database), database }),
    close: ({ sessions }) => sessions.onApplicationShutdown(),
    ...of,
  });

const guards: Record<string, Guard<unknown>> = {
  'the events of triggers for two relays': triggers({
    prepare: (of, name) => trigger(of, name),
    one: (of, name) => relay(of, name, 'one'),
    other: (of, name) => relay(of, name, 'other'),
    end: triggerState,
  }),
  'an event of a trigger that is given up, and another relay has claimed': triggers({
    prepare: async (of, name) => {
      await trigger(of, name);
      await relay(of, name, 'early');
    },
    one: (of, name) => of.outbox.bury(`${name} early`, `${name} 0`, 'refused', laterBy(name, 0)),
    other: (of, name) => relay(of, name, 'late', 2000),
    end: triggerState,
  }),
  'an event of a trigger that is given up, and done': triggers({
    prepare: async (of, name) => {
      await trigger(of, name);
      await relay(of, name, 'early');
    },
    one: (of, name) => of.outbox.bury(`${name} early`, `${name} 0`, 'refused', laterBy(name, 0)),
    other: (of, name) => of.outbox.done(`${name} early`, [`${name} 0`]),
    end: triggerState,
  }),

  'announcements that two callers change in turn': announcements({
    prepare: (port, name) => port.save([announced(name, 'b', true)]),
    one: (port, name) => port.save([announced(name, 'a', true), announced(name, 'b', false)]),
    other: (port, name) => port.save([announced(name, 'b', true), announced(name, 'a', false)]),
    end: async (port, name) => (await port.all()).filter(({ appId }) => appId === name),
  }),

  'an app that two callers make': apps({
    one: (port, name) => port.save(appOf(name, 0, 'one'), 0),
    other: (port, name) => port.save(appOf(name, 0, 'other'), 0),
    end: async (port, name) => (await port.read(`${name} 0`))?.settings,
  }),
  'a key that two apps take': apps({
    one: (port, name) => port.save(appOf(name, 0, 'key')),
    other: (port, name) => port.save(appOf(name, 1, 'key')),
    end: async (port, name) => [await port.read(`${name} 0`), await port.read(`${name} 1`)].map((app) => app?.settings),
  }),
  'an app that is changed, and removed': apps({
    prepare: (port, name) => port.save(appOf(name, 0, 'first'), 0),
    one: (port, name) => port.save(appOf(name, 0, 'second')),
    other: (port, name) => port.remove(`${name} 0`),
    end: async (port, name) => [(await port.read(`${name} 0`))?.settings, (await port.findByKey(`${name} second`))?.id],
  }),

  'events of a history': keptEvents({
    prepare: (of, name) => publishKept(of, name, 'first'),
    one: (of, name) => publishKept(of, name, 'one'),
    other: (of, name) => publishKept(of, name, 'other'),
    end: historyOf,
  }),
  'a history whose old events are deleted, and that gets another': keptEvents({
    prepare: async (of, name) => {
      for (const text of ['first', 'second', 'third', 'fourth']) await publishKept(of, name, text);
    },
    one: async (of) => {
      const due = { histories: 1, remembered: 0, texts: 0 };
      await of.database.write(() => forgetting((Date.now() + 100_000) * 1000, of.database.dialect, due));
    },
    other: (of, name) => publishKept(of, name, 'other'),
    end: historyOf,
  }),

  'a session that another process takes over': sessions({
    prepare: async ({ sessions }, name) => {
      await sessions.open(sessionOf(name), '1.1', 60);
      await sessions.save(sessionOf(name), '1.1', { positions: [['a', '1']] }, 60);
    },
    one: async ({ sessions }, name) => {
      // Whether the connection before has saved this is of no use to the next.
      await sessions.save(sessionOf(name), '1.1', { positions: [['b', '1']], userId: 'ann' }, 60);
    },
    other: async ({ sessions }, name) => {
      await sessions.open(sessionOf(name), '2.2', 60);
      return sessions.save(sessionOf(name), '2.2', { positions: [['c', '2']] }, 60);
    },
    end: async ({ database }, name) => {
      const key = JSON.stringify([name, 'k', 'session']);
      const [row] = await database.read<{ readonly state: string }>(
        'SELECT state FROM rookery_sessions WHERE name = ?',
        [key],
      );
      const positions = await database.read(
        "SELECT channel, position FROM rookery_session_positions WHERE session = ? AND channel <> 'b' ORDER BY channel",
        [key],
      );
      return { holder: (JSON.parse(row!.state) as { h: string }).h, positions };
    },
  }),

  'the last free device of a user': devices({
    prepare: async (port, name) => {
      for (let n = 0; n < 99; n++) {
        await register(port, name, `t${n}`);
        await port.setUser(name, 'fcm', deviceOf(name, `t${n}`), 'ann');
      }
      for (const token of ['x1', 'x2']) await register(port, name, token);
    },
    one: (port, name) => port.setUser(name, 'fcm', deviceOf(name, 'x1'), 'ann'),
    other: (port, name) => port.setUser(name, 'fcm', deviceOf(name, 'x2'), 'ann'),
    end: kept,
  }),
  'a user for a device that gets another': devices({
    prepare: (port, name) => register(port, name, 't'),
    one: (port, name) => port.setUser(name, 'fcm', deviceOf(name, 't'), 'ann'),
    other: (port, name) => port.setUser(name, 'fcm', deviceOf(name, 't'), 'bob'),
    end: kept,
  }),
  'the same token twice': devices({
    one: (port, name) => register(port, name, 't'),
    other: (port, name) => register(port, name, 't'),
    end: kept,
  }),
  'a token that another device takes': devices({
    prepare: async (port, name) => {
      for (const token of ['t1', 't2']) await register(port, name, token);
    },
    one: async (port, name) => typeof (await port.setToken(name, 'fcm', deviceOf(name, 't1'), 't3', now + 1)),
    other: async (port, name) => typeof (await port.setToken(name, 'fcm', deviceOf(name, 't2'), 't3', now + 1)),
    end: async (port, name) => (await kept(port, name)).length,
  }),
  'a device that is gone, and registers again': devices({
    prepare: (port, name) => register(port, name, 't'),
    one: async (port, name) =>
      (await port.removeUnregistered(name, [{ id: deviceOf(name, 't'), before: now + 1 }])).length,
    other: (port, name) => register(port, name, 't', now + 5),
    end: kept,
  }),
  'the last interest of a device': devices({
    prepare: async (port, name) => {
      await register(port, name, 't');
      const all = new Set(Array.from({ length: 4999 }, (_, n) => `i${n}`));
      await port.setInterests(name, 'fcm', deviceOf(name, 't'), all);
    },
    one: (port, name) => port.addInterest(name, 'fcm', deviceOf(name, 't'), 'one'),
    other: (port, name) => port.addInterest(name, 'fcm', deviceOf(name, 't'), 'other'),
    end: async (port, name) => {
      const some = await port.interests(name, 'fcm', deviceOf(name, 't'), 'j', 10);
      return some === 'unknown' ? some : [...some];
    },
  }),
  'interests that two callers set': devices({
    prepare: (port, name) => register(port, name, 't'),
    one: (port, name) => port.setInterests(name, 'fcm', deviceOf(name, 't'), new Set(['a', 'b'])),
    other: (port, name) => port.setInterests(name, 'fcm', deviceOf(name, 't'), new Set(['b', 'c'])),
    end: async (port, name) => {
      const some = await port.interests(name, 'fcm', deviceOf(name, 't'), '', 10);
      return some === 'unknown' ? some : [...some];
    },
  }),
  'interests of a device that is removed': devices({
    prepare: (port, name) => register(port, name, 't'),
    one: (port, name) => port.setInterests(name, 'fcm', deviceOf(name, 't'), new Set(['a', 'b'])),
    other: async (port, name) => (await port.remove(name, 'fcm', deviceOf(name, 't'))) !== undefined,
    end: async (port, name) => {
      const audience = await port.inAudience(name, { interests: ['a'] }, '', 10);
      return [audience.length, await kept(port, name)];
    },
  }),
  'a user who is removed, and signs in': devices({
    prepare: async (port, name) => {
      await register(port, name, 't');
      await port.setUser(name, 'fcm', deviceOf(name, 't'), 'ann');
      await register(port, name, 'new');
    },
    one: async (port, name) => (await port.removeUser(name, 'ann')).length,
    other: (port, name) => port.setUser(name, 'fcm', deviceOf(name, 'new'), 'ann'),
    end: kept,
  }),

  'a job for two runners': webhooks({
    prepare: (port, name) => port.add([job(name)]),
    one: (port, name) => claim(port, name, 'one'),
    other: (port, name) => claim(port, name, 'other'),
    end: jobsOf,
  }),
  'a job that is done, and another has claimed': webhooks({
    prepare: async (port, name) => {
      await port.add([job(name)]);
      await claim(port, name);
    },
    one: (port, name) => port.done(claims.get(`${name} early`)!),
    other: (port, name) => claim(port, name, 'late', now + 5000),
    end: jobsOf,
  }),
  'a job that is given up, and another has claimed': webhooks({
    prepare: async (port, name) => {
      await port.add([job(name)]);
      await claim(port, name);
    },
    one: (port, name) => port.bury(claims.get(`${name} early`)!, { diedAt: now, reason: 'none' }, limits),
    other: (port, name) => claim(port, name, 'late', now + 5000),
    end: jobsOf,
  }),
  'a dead job that two callers resend': webhooks({
    prepare: async (port, name) => {
      await port.add([job(name)]);
      await claim(port, name);
      await port.bury(claims.get(`${name} early`)!, { diedAt: now, reason: 'none' }, limits);
    },
    one: (port, name) => port.resend(name, [`${name} 0`], { dueAt: now, state: '' }),
    other: (port, name) => port.resend(name, [`${name} 0`], { dueAt: now, state: '' }),
    end: jobsOf,
  }),
  'a job with a known id': webhooks({
    one: (port, name) => port.add([job(name)]),
    other: (port, name) => port.add([job(name)]),
    end: jobsOf,
  }),

  'two notifications that replace each other': notifications({
    prepare: (port, name) => port.add([notification(name, 0, now - 1)], 'pushed'),
    one: async (port, name) => (await port.add([notification(name, 1)], 'pushed')).length,
    other: async (port, name) => (await port.add([notification(name, 2)], 'pushed')).length,
    end: feedOf,
  }),
  'a notification that is read, and replaced': notifications({
    prepare: (port, name) => port.add([notification(name, 0, now - 1)], 'pushed'),
    one: (port, name) => port.read(name, uuid(name, 0), now, 'pushed'),
    other: async (port, name) => (await port.add([notification(name, 1)], 'pushed')).length,
    end: feedOf,
  }),
  'a notification that is read twice': notifications({
    prepare: (port, name) => port.add([notification(name, 0, now - 1)], 'pushed'),
    one: (port, name) => port.read(name, uuid(name, 0), now, 'pushed'),
    other: (port, name) => port.read(name, uuid(name, 0), now, 'pushed'),
    end: feedOf,
  }),
  'all notifications that are read, and one deleted': notifications({
    prepare: (port, name) => port.add([notification(name, 0, now - 1)], 'pushed'),
    one: async (port, name) => (await port.readAll(name, 'ann', now, 10, 'pushed')).length,
    other: (port, name) => port.delete(name, uuid(name, 0), now, 'pushed'),
    end: feedOf,
  }),
  'a notification that is shown, and read': notifications({
    prepare: (port, name) => port.add([notification(name, 0, now - 1)], 'pushed'),
    one: (port, name) => port.shown(name, uuid(name, 0), now),
    other: (port, name) => port.read(name, uuid(name, 0), now, 'pushed'),
    end: feedOf,
  }),
  'a push that is left out, and its notification read': notifications({
    prepare: async (port, name) => {
      await port.add([notification(name, 0, now - 1)], 'pushed');
      for (const each of own(await port.jobs.claim(claimOf(name, 'early')), name)) claims.set(name, each);
    },
    one: (port, name) => port.skip(claims.get(name)!, now),
    other: (port, name) => port.read(name, uuid(name, 0), now, 'pushed'),
    end: async (port, name) => ({
      ...(await feedOf(port, name)),
      skipped: (await port.find(name, uuid(name, 0)))?.skippedAt,
    }),
  }),

  'an Idempotency-Key twice': publishes({
    one: async (port, name) => (await port.add(publish(name, `${name} a`), once)).outcome,
    other: async (port, name) => (await port.add(publish(name, `${name} b`), once)).outcome,
    end: publishState,
  }),
  'a publish that is saved, and another has claimed': publishes({
    prepare: async (port, name) => {
      await port.add(publish(name));
      await claimedPublish(port, name);
    },
    one: (port, name) => port.save(claims.get(`${name} early`)!, { ...newPartition('fcm', 0), sent: 1 }),
    other: (port, name) => claimedPublish(port, name, 'late', now + 5000),
    end: publishState,
  }),
  'a publish that is cancelled, and finished': publishes({
    prepare: async (port, name) => {
      await port.add(publish(name));
      await claimedPublish(port, name);
    },
    one: (port, name) => port.cancel(name, name, now),
    other: (port, name) => port.finish(claims.get(`${name} early`)!, now),
    end: publishState,
  }),
  'a publish that is finished, and cancelled': publishes({
    prepare: async (port, name) => {
      await port.add(publish(name));
      await claimedPublish(port, name);
    },
    one: (port, name) => port.finish(claims.get(`${name} early`)!, now),
    other: (port, name) => port.cancel(name, name, now),
    end: publishState,
  }),
  'the last two ranges of a publish': publishes({
    prepare: async (port, name) => {
      await port.add(publish(name));
      await claimedPublish(port, name);
      const range = { ...newPartition('fcm', 0), from: 'fcm-8', cursor: 'fcm-8' };
      await port.save(
        claims.get(`${name} early`)!,
        { ...newPartition('fcm', 0), to: 'fcm-8' },
        {
          again: [],
          settled: [],
          handedOver: { partition: range, dueAt: now },
        },
      );
      await claimedPublish(port, name, 'range', now);
    },
    one: async (port, name) => (await port.leave(claims.get(`${name} early`)!))?.length,
    other: async (port, name) => (await port.leave(claims.get(`${name} range`)!))?.length,
    // Which of them is the last one is seen from the answers.
    end: async (port, name) => (await port.latest(name, 10)).length,
  }),
  'a report twice': publishes({
    prepare: (port, name) => port.add(publish(name)),
    one: (port, name) => port.report(report(name)),
    other: (port, name) => port.report(report(name)),
    end: (port, name) => port.reports(name),
  }),

  'a channel of Apple for two': guard<TypeOrmLiveActivityRepository>({
    port: (database) => new TypeOrmLiveActivityRepository(database),
    one: (port, name) => port.reserve(channel(name), reservation('one')),
    other: (port, name) => port.reserve(channel(name), reservation('other')),
    end: (port, name) => port.keep({ ...channel(name), channelId: 'c', storesLatest: false }, 'nobody'),
  }),
  'a channel of Apple that is kept meanwhile': guard<TypeOrmLiveActivityRepository>({
    port: (database) => new TypeOrmLiveActivityRepository(database),
    prepare: (port, name) => port.reserve(channel(name), reservation('other')),
    one: async (port, name) => {
      const answer = await port.reserve(channel(name), reservation('one'));
      return typeof answer === 'string' ? answer : answer.channelId;
    },
    other: (port, name) => port.keep({ ...channel(name), channelId: 'c', storesLatest: false }, 'other'),
    end: async (port, name) => (await port.channels(name, 'production', ['match'])).map(({ channelId }) => channelId),
  }),
  'a rate that two callers share': guard<TypeOrmRequestRates>({
    port: (database) => new TypeOrmRequestRates(database),
    one: async (port, name) => (await port.take([onceIn(name)])) > 0,
    other: async (port, name) => (await port.take([onceIn(name)])) > 0,
    end: () => 0,
  }),
  'settings that two callers change': guard<TypeOrmInstanceRepository>({
    port: (database) => new TypeOrmInstanceRepository(database),
    prepare: (port, name) => port.editing.save(instanceOf(name, 'first'), 0),
    one: (port, name) => edit(port, instanceOf(name, 'one')),
    other: (port, name) => edit(port, instanceOf(name, 'other')),
    end: async (port, name) => (await port.find(instanceOf(name, '').id))?.secretKey.length,
  }),
};

/** A caller whose settings were changed meanwhile reads them again. */
async function edit(port: TypeOrmInstanceRepository, instance: typeof testingInstance): Promise<void> {
  for (;;)
    try {
      return await port.editing.save(instance, (await port.editing.read(instance.id))!.version);
    } catch (error) {
      if (!(error instanceof SettingsConflict)) throw error;
    }
}

/** A rate that lets one call through. */
const onceIn = (name: string) => ({ name, perSecond: 0.001, atOnce: 1, count: 1 });
const instanceOf = (name: string, secretKey: string) => ({ ...testingInstance, id: uuid(name, 0), secretKey });

describeDatabases('another writer between two statements', (on) => {
  it.each(Object.entries(guards))('%s', async (_, each) => {
    expect(await outcomesBetween(on.database(), each)).toEqual([]);
  });
});
