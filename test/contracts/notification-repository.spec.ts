import { expect, it } from 'vitest';
import type { ClaimedJob } from 'rookery/jobs';
import { MemoryNotificationRepository, notificationJob, type NotificationRepository } from 'rookery/notifications';
import { MemoryPublishOutbox, publishOf } from 'rookery/publish';
import { type DescribeContract, describeNotificationRepository, type NotificationStores } from '@rookery/testing';
import { TypeOrmNotificationRepository, TypeOrmPublishOutbox } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describeBrokenDoubles, eachWith } from './broken-doubles.js';
import { describeNode } from '../support/services.js';

const failure = () => new TypeError('the outbox is full');
class FailingMemoryOutbox extends MemoryPublishOutbox {
  override add(): never {
    throw failure();
  }
}
class FailingTypeOrmOutbox extends TypeOrmPublishOutbox {
  override adding(): never {
    throw failure();
  }
}

const inMemory = (notifications: NotificationRepository): NotificationStores => ({
  notifications,
  publishes: new MemoryPublishOutbox(),
  failing: new FailingMemoryOutbox(),
});

describeNode('MemoryNotificationRepository', () => {
  describeNotificationRepository(() => inMemory(new MemoryNotificationRepository()));
});

describeDatabases('TypeOrmNotificationRepository', ({ database }) => {
  describeNotificationRepository(async () => {
    for (const table of ['rookery_notifications', 'rookery_jobs', 'rookery_publishes'])
      await database().execute(`DELETE FROM ${table}`);
    return {
      notifications: new TypeOrmNotificationRepository(database()),
      publishes: new TypeOrmPublishOutbox(database()),
      failing: new FailingTypeOrmOutbox(database()),
    };
  });

  it('suggests what to write if publishes are stored elsewhere', async () => {
    const notifications = new TypeOrmNotificationRepository(database());
    const id = crypto.randomUUID();
    const event = { name: 'a', data: '1' };
    await notifications.add([{ id, appId: 'elsewhere', userId: 'a', event, createdAt: 1, pushAt: 1 }], 'never');
    const claim = { id: 'claim', now: 1, limit: 100, perKey: 1, busy: new Set<string>(), leaseMs: 1000 };
    const [job] = (await notifications.jobs.claim(claim)) as [ClaimedJob];
    const publish = publishOf('instance', { users: ['a'], fcm: {} }, 1);
    const push = notifications.push(job, 1, Infinity, { publish, outbox: new MemoryPublishOutbox() });
    await expect(push).rejects.toThrow('publishOutbox: TypeOrmPublishOutbox');
    expect(await notifications.find('elsewhere', id)).not.toHaveProperty('pushedAt');
  });
});

const describeWithOutboxes: DescribeContract<NotificationRepository> = (fresh, runner) =>
  describeNotificationRepository(async (atEnd) => inMemory(await fresh(atEnd)), runner);

const repository = () => new MemoryNotificationRepository();

describeBrokenDoubles('NotificationRepository', describeWithOutboxes, repository, (right, double) => ({
  'answers a notification as it was added, only to its app': [
    double('forgets the push', { add: (all, ...how) => right.add(eachWith(all, { push: undefined }), ...how) }),
    double('shows to all', { find: async (_, id) => (await right.find('app', id)) ?? right.find('other', id) }),
  ],
  'has a job of its app for each notification to be pushed, when that is due': double('never makes due', {
    add: (all, ...how) => right.add(eachWith(all, { pushAt: undefined }), ...how),
  }),
  'withdraws only unread notifications of the same key and user when a newer one is added': double('replaces nothing', {
    add: (all, ...how) => right.add(eachWith(all, { collapseKey: undefined }), ...how),
  }),
  'withdraws a pushed notification soon after it is read, if requested': double('never withdraws', {
    read: (app, id, now) => right.read(app, id, now, 'never'),
    add: (all) => right.add(all, 'never'),
  }),
  'neither publishes nor records a notification that another worker took over, or that was shown or read': [
    double('has no fence', {
      async push(_job, _now, _perHour, { publish, outbox }) {
        await outbox.add(publish);
        return 'pushed';
      },
    }),
    double('publishes first', {
      async push(job, now, perHour, { publish, outbox }) {
        await Promise.resolve(publish)
          .then((added) => outbox.add(added))
          .catch(() => undefined);
        return right.push(job, now, perHour, { publish, outbox: new MemoryPublishOutbox() });
      },
    }),
  ],
  'changes nothing if publishing fails': 'publishes first',
  'tells devices of a new number of unread ones once when none of those read was pushed, if always requested': [
    double('withdraws only pushed ones', {
      read: (app, id, now, when) => right.read(app, id, now, when === 'always' ? 'pushed' : when),
    }),
    double('withdraws all', {
      async readAll(app, user, now, limit, withdraws) {
        const unread = await right.feed(app, user, limit, undefined, true);
        for (const { id } of unread) await right.read(app, id, now, withdraws);
        return unread.map(({ id }) => id);
      },
    }),
  ],
  'publishes pushes and withdrawals with the number that is unread in their transaction, if requested': [
    double('publishes no number', {
      push: (job, now, perHour, { publish, outbox }) => right.push(job, now, perHour, { publish, outbox }),
    }),
    double('counts for all apps', {
      withdraw(job, { badge, ...publish }) {
        const add: typeof badge = badge && { ...badge, add: (of, unread) => badge.add(of, unread + 1) };
        return right.withdraw(job, { ...publish, badge: add });
      },
    }),
  ],
  'withdraws several notifications of a user by one publish, and no others': [
    double('leaves other withdrawals', { withdraw: (job, publish) => right.withdraw(job, publish) }),
    double('withdraws for the loser', {
      async withdraw(job, publish, others = []) {
        right.jobs.forget(job.key, new Set(others));
        return right.withdraw(job, publish);
      },
    }),
    double('misses a withdrawal', { withdrawals: async (...asked) => (await right.withdrawals(...asked)).slice(1) }),
  ],
  'deletes a notification of any state once, only for its app, and takes back what was pushed': [
    double('deletes without taking back', { delete: (app, id, now) => right.delete(app, id, now, 'never') }),
    double('only hides deleted ones', { delete: (...asked) => right.read(...asked) }),
    double('leaves the job of a deleted one', {
      async delete(app, id, ...how) {
        const record = await right.find(app, id);
        const deleted = await right.delete(app, id, ...how);
        if (record?.pushAt !== undefined) await right.jobs.add([notificationJob(record, record.pushAt)]);
        return deleted;
      },
    }),
  ],
  'never pushes a notification that was deleted meanwhile, and only ends the job of a deleted one':
    'leaves the job of a deleted one',
  'deletes the notifications of a user together, up to a time and a number, each once': double('deletes for all time', {
    deleteAll: (app, user, _, ...how) => right.deleteAll(app, user, Infinity, ...how),
  }),
  'adds one for each of many users, with a job each, and replaces those of the same key': [
    double('adds only the first hundred', { add: (all, ...how) => right.add(all.slice(0, 100), ...how) }),
  ],
  'keeps one for each of several users of several concurrent notifications with the same key': [
    double('replaces only those of the first user', {
      async add(all, withdraws) {
        const replaced = await right.add(all.slice(0, 1), withdraws);
        for (const { collapseKey: _, ...one } of all.slice(1)) await right.add([one], withdraws);
        return replaced;
      },
    }),
  ],
  'limits the pushes to a user within an hour': double('has no limit', {
    push: (job, now, _, publish) => right.push(job, now, Infinity, publish),
  }),
  'marks a notification as read once, and withdraws it': double('reads again', {
    async read(...asked) {
      const read = await right.read(...asked);
      return read && { ...read, isFirst: true };
    },
  }),
  'marks the unread notifications of a user as read together, up to a time and a number': [
    double('reads all of all time', { readAll: (app, user, _, ...how) => right.readAll(app, user, Infinity, ...how) }),
  ],
  'marks each notification as read once when all are marked concurrently': double('reads all twice', {
    async readAll(app, user, now, limit, withdraws) {
      const unread = await right.feed(app, user, limit, undefined, true);
      await Promise.resolve();
      await right.readAll(app, user, now, limit, withdraws);
      return unread.map(({ id }) => id);
    },
  }),
  'lists only unread notifications if requested': double('lists read ones', {
    feed: (app, user, limit, before) => right.feed(app, user, limit, before),
  }),
  'lists an app’s notifications from the newest on, page by page, each once, with replaced ones': [
    double('lists only current ones', {
      latest: async (...page) => (await right.latest(...page)).filter(({ withdrawnAt }) => withdrawnAt === undefined),
    }),
    double('lists of all apps', {
      latest: async (app, ...page) => [
        ...(await right.latest('other', ...page)),
        ...(await right.latest(app, ...page)),
      ],
    }),
  ],
  'lists a user’s notifications from the newest on, page by page, each once, without replaced ones': [
    double('pages with doubles', {
      feed: (app, user, limit, before) => right.feed(app, user, limit, before && { ...before, id: `${before.id}~` }),
    }),
  ],
  'pushes once, and records the publish': 'never makes due',
  'records when it was first shown, only for its own app': double('shows late', { shown: async () => {} }),
  'counts the unread notifications of a user in an app': double('counts all', {
    unread: async (app, user) => (await right.feed(app, user, 100)).length,
  }),
  'never makes a skipped notification due again': double('leaves the job of a skipped one', {
    async skip(job, now) {
      await right.skip(job, now);
      await right.jobs.add([job]);
    },
  }),
  'only ends the job when the withdrawal of a pushed notification is skipped': double('skips withdrawals', {
    async find(app, id) {
      const record = await right.find(app, id);
      return record?.readAt === undefined ? record : { ...record, skippedAt: record.readAt };
    },
  }),
}));
