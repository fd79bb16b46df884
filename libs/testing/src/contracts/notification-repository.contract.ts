import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { ClaimedJob } from 'rookery/jobs';
import {
  collectMs,
  type NewNotification,
  type NotificationRecord,
  type NotificationPublish,
  type NotificationRepository,
  withdrawalIn,
  type Withdraws,
} from 'rookery/notifications';
import { type PublishOutbox, publishOf } from 'rookery/publish';
import { contract } from './contract.js';
import { matches, same } from './assertions.js';

/** A repository, and the outbox with which it publishes. */
export interface NotificationStores {
  readonly notifications: NotificationRepository;
  readonly publishes: PublishOutbox;
  /** An outbox of the same kind that throws a TypeError for every publish. */
  readonly failing: PublishOutbox;
}

const start = 1_700_000_000_000;
const hourMs = 3_600_000;
const instanceId = '11111111-1111-4111-8111-111111111111';

const toldTo = (userId: string, more: Partial<NewNotification> = {}): NewNotification => ({
  id: randomUUID(),
  appId: 'app',
  userId,
  event: { name: 'message', data: '{"text":"ünï 💬"}' },
  createdAt: start,
  ...more,
});
const pushed = { push: { fcm: { notification: { title: 'Hi' } } }, pushAt: start };

/** Adds notifications that are due at their start, and returns them. */
async function added({ notifications }: NotificationStores, ...all: NewNotification[]): Promise<NewNotification[]> {
  for (const one of all) await notifications.add([one], 'pushed');
  return all;
}

/** A new publish; `prepared` gets its id. */
const publishing = ({ publishes }: NotificationStores, prepared: string[] = []): NotificationPublish => {
  const publish = publishOf(instanceId, { users: ['ann'], fcm: {} }, start);
  prepared.push(publish.id);
  return { publish, outbox: publishes };
};

const isPublished = async ({ publishes }: NotificationStores, publishId: string): Promise<boolean> =>
  Boolean(await publishes.find(instanceId, publishId));

const idsOf = (all: readonly { readonly id: string }[]): string[] => all.map(({ id }) => id);
const claims = async ({ notifications: { jobs } }: NotificationStores, now = start): Promise<readonly ClaimedJob[]> =>
  jobs.claim({ id: randomUUID(), now, limit: 100, perKey: 100, busy: new Set(), leaseMs: 1000 });
const claimed = async (stores: NotificationStores, now = start): Promise<string[]> => idsOf(await claims(stores, now));

/** Claims what is due, and returns the claimed job of each of these notifications. */
async function jobsOf(stores: NotificationStores, ids: readonly string[], now = start): Promise<ClaimedJob[]> {
  const jobs = await claims(stores, now);
  return ids.map((id) => {
    const found = jobs.find((job) => job.id === id);
    if (!found) throw new Error(`No job of ${id} is due`);
    return found;
  });
}

async function pushNow(stores: NotificationStores, id: string, now = start, perHour = Infinity) {
  const [job] = (await jobsOf(stores, [id], now)) as [ClaimedJob];
  return stores.notifications.push(job, now, perHour, publishing(stores));
}

type Seven = [string, string, string, string, string, string, string];

/** The contract of every NotificationRepository. Times are epoch milliseconds around {@link start}, not the clock's. */
export const describeNotificationRepository = contract<NotificationStores>('NotificationRepository', [
  {
    promise: 'answers a notification as it was added, only to its app',
    async test(stores) {
      const quietHours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
      const [one, plain] = await added(
        stores,
        toldTo("o'neill 💬", { ...pushed, collapseKey: 'chat 7', quietHours }),
        toldTo('ann'),
      );
      same(await stores.notifications.find('app', one!.id), one);
      same(await stores.notifications.find('app', plain!.id), plain);
      assert.equal(await stores.notifications.find('other', one!.id), undefined);
      assert.equal(await stores.notifications.find('app', randomUUID()), undefined);
    },
  },
  {
    promise: 'has a job of its app for each notification to be pushed, when that is due',
    async test(stores) {
      const [second, first, later] = await added(
        stores,
        toldTo('ann', { ...pushed, pushAt: start - 1 }),
        toldTo('ann', { ...pushed, pushAt: start - 2 }),
        toldTo('ann', { ...pushed, pushAt: start + 1 }),
        toldTo('ann'),
      );
      const found = await claims(stores);
      same(
        found.map(({ id, owner }) => [owner, id]),
        [
          ['app', first!.id],
          ['app', second!.id],
        ],
      );
      same(await claimed(stores, start + 999), [later!.id]);
      same((await claimed(stores, start + 1000)).toSorted(), [first!.id, second!.id].toSorted());
    },
  },
  {
    promise: 'pushes once, and records the publish',
    async test(stores) {
      const [{ id }] = (await added(stores, toldTo('ann', pushed))) as [NewNotification];
      const [job] = (await jobsOf(stores, [id])) as [ClaimedJob];
      const push = () => stores.notifications.push(job, start + 5, Infinity, publishing(stores));
      assert.equal(await push(), 'pushed');
      const record = await stores.notifications.find('app', id);
      matches(record, { pushedAt: start + 5 });
      assert.equal(await isPublished(stores, record!.publishId!), true);
      same(await claimed(stores, start + hourMs), []);
      assert.equal(await push(), 'lost');
    },
  },
  {
    promise: 'neither publishes nor records a notification that another worker took over, or that was shown or read',
    async test(stores) {
      const all = await added(stores, ...Array.from({ length: 3 }, () => toldTo('ann', pushed)));
      const ids = idsOf(all) as [string, string, string];
      const [late, shown, read] = ids;
      const jobs = await jobsOf(stores, ids);
      await stores.notifications.shown('app', shown, start);
      await stores.notifications.read('app', read, start, 'pushed');
      same(await claimed(stores, start + 1000), [late]);
      const published: string[] = [];
      for (const job of jobs) {
        const push = stores.notifications.push(job, start + 1, Infinity, publishing(stores, published));
        assert.equal(await push, 'lost');
        assert.equal((await stores.notifications.find('app', job.id))!.pushedAt, undefined);
        await stores.notifications.skip(job, start + 1);
        await stores.notifications.jobs.retry(job, start + 1);
      }
      for (const publishId of published) assert.equal(await isPublished(stores, publishId), false);
      assert.equal((await stores.notifications.find('app', late))!.skippedAt, undefined);
      same(await claimed(stores, start + 1999), []);
      same(await claimed(stores, start + 2000), [late]);
    },
  },
  {
    promise: 'changes nothing if publishing fails',
    async test(stores) {
      const [one] = (await added(stores, toldTo('ann', pushed))) as [NewNotification];
      const [job] = (await jobsOf(stores, [one.id])) as [ClaimedJob];
      const { publish } = publishing(stores);
      const failing = stores.notifications.push(job, start, Infinity, { publish, outbox: stores.failing });
      await assert.rejects(failing, TypeError);
      assert.equal(await isPublished(stores, publish.id), false);
      same(await stores.notifications.find('app', one.id), one);
      await stores.notifications.jobs.retry(job, start + 50);
      same(await claimed(stores, start + 49), []);
      same(await claimed(stores, start + 50), [one.id]);
    },
  },
  {
    promise: 'limits the pushes to a user within an hour',
    async test(stores) {
      const all = await added(stores, ...Array.from({ length: 3 }, () => toldTo('ann', pushed)), toldTo('bob', pushed));
      const [first, second, third, others] = await jobsOf(stores, idsOf(all));
      const push = (job?: ClaimedJob, now = start) => stores.notifications.push(job!, now, 1, publishing(stores));
      assert.equal(await push(first), 'pushed');
      assert.equal(await push(second, start + hourMs - 1), 'limited');
      assert.equal(await push(others), 'pushed');
      const limited = await stores.notifications.find('app', second!.id);
      matches(limited, { skippedAt: start + hourMs - 1 });
      assert.equal(limited!.pushedAt, undefined);
      assert.equal(await push(third, start + hourMs), 'pushed');
      same(await claimed(stores, start + 2 * hourMs), []);
    },
  },
  {
    promise: 'never makes a skipped notification due again',
    async test(stores) {
      const [{ id }] = (await added(stores, toldTo('ann', pushed))) as [NewNotification];
      const [job] = (await jobsOf(stores, [id])) as [ClaimedJob];
      await stores.notifications.skip(job, start + 3);
      matches(await stores.notifications.find('app', id), { skippedAt: start + 3 });
      same(await claimed(stores, start + hourMs), []);
    },
  },
  {
    promise: 'records when it was first shown, only for its own app',
    async test(stores) {
      const [{ id }] = (await added(stores, toldTo('ann', pushed))) as [NewNotification];
      await stores.notifications.shown('other', id, start + 1);
      assert.equal((await stores.notifications.find('app', id))!.shownAt, undefined);
      await stores.notifications.shown('app', id, start + 2);
      await stores.notifications.shown('app', id, start + 3);
      matches(await stores.notifications.find('app', id), { shownAt: start + 2 });
      same(await claimed(stores, start + hourMs), []);
      assert.equal(await stores.notifications.unread('app', 'ann'), 1);
    },
  },
  {
    promise: 'marks a notification as read once, and withdraws it',
    async test(stores) {
      const [{ id }] = (await added(stores, toldTo('ann', pushed))) as [NewNotification];
      const read = (now: number, appId = 'app') => stores.notifications.read(appId, id, now, 'never');
      assert.equal(await read(start, 'other'), undefined);
      same(await read(start + 1), { userId: 'ann', isFirst: true });
      same(await read(start + 2), { userId: 'ann', isFirst: false });
      matches(await stores.notifications.find('app', id), { readAt: start + 1, withdrawnAt: start + 1 });
      same(await claimed(stores, start + hourMs), []);
    },
  },
  {
    promise: 'withdraws a pushed notification soon after it is read, if requested',
    async test(stores) {
      const all = await added(stores, toldTo('ann', pushed), toldTo('ann', pushed), toldTo('ann', pushed));
      const [asked, unasked, unpushed] = idsOf(all) as [string, string, string];
      const jobs = await jobsOf(stores, [asked, unasked]);
      for (const job of jobs) await stores.notifications.push(job, start, Infinity, publishing(stores));
      await stores.notifications.read('app', asked, start + 9, 'pushed');
      await stores.notifications.read('app', unasked, start + 9, 'never');
      await stores.notifications.read('app', unpushed, start + 9, 'pushed');
      same(await claimed(stores, start + 8 + collectMs), []);
      const [due, ...others] = await claims(stores, start + 9 + collectMs);
      matches(due, { id: asked, owner: 'app' });
      same(others, []);
      const published: string[] = [];
      assert.equal(await stores.notifications.withdraw(jobs[0]!, publishing(stores, published)), 'lost');
      assert.equal(await stores.notifications.withdraw(due!, publishing(stores, published)), 'withdrawn');
      assert.ok((await Promise.all(published.map((id) => isPublished(stores, id)))).includes(true));
      same(await claimed(stores, start + hourMs), []);
      const { pushedAt, publishId } = (await stores.notifications.find('app', asked))!;
      same([pushedAt, published.includes(publishId!)], [start, false]);
    },
  },
  {
    promise:
      'tells devices of a new number of unread ones once when none of those read was pushed, if always requested',
    async test(stores) {
      const { notifications } = stores;
      const all = await added(stores, ...Array.from({ length: 5 }, () => toldTo('ann', pushed)));
      const [alone, sent, silent, other, last] = idsOf(all) as [string, string, string, string, string];
      await pushNow(stores, sent);
      const due = async (now: number) =>
        (await claims(stores, now + collectMs)).filter(withdrawalIn).map((job) => [job.id, withdrawalIn(job)]);
      const toAnn = { userId: 'ann', platforms: ['fcm'] };
      await notifications.read('app', alone, start + 1, 'always');
      await notifications.read('app', alone, start + 1, 'always');
      same(await due(start + 1), [[alone, toAnn]]);
      await notifications.read('app', silent, start + 2, 'pushed');
      await notifications.read('app', other, start + 2, 'never');
      same(await due(start + 2), []);
      same((await notifications.readAll('app', 'ann', start + 3, 10, 'always')).toSorted(), [sent, last].toSorted());
      same(await due(start + 3), [[sent, toAnn]]);
      const [unsent] = await added(stores, toldTo('ann'), toldTo('ann', { createdAt: start + 1 }));
      await notifications.readAll('app', 'ann', start + 4, 1, 'always');
      same(await due(start + 4), [[unsent!.id, { userId: 'ann', platforms: [] }]]);
    },
  },
  {
    promise: 'publishes pushes and withdrawals with the number that is unread in their transaction, if requested',
    async test(stores) {
      const { notifications, publishes } = stores;
      const key = { collapseKey: 'chat' };
      const all = await added(stores, ...Array.from({ length: 3 }, () => toldTo('ann', pushed)), toldTo('ann', key));
      await added(stores, toldTo('ann', key), toldTo('bob'), toldTo('ann', { appId: 'other' }));
      const [first, second, third] = await jobsOf(stores, idsOf(all.slice(0, 3)));
      const counted = (): NotificationPublish => ({
        ...publishing(stores),
        badge: { userId: 'ann', add: (publish, unread) => ({ ...publish, payloads: { fcm: { unread } } }) },
      });
      const countIn = async (id: string) => (await publishes.find(instanceId, id))!.publish.payloads;
      const push = async (job?: ClaimedJob) => {
        assert.equal(await notifications.push(job!, start, 10, counted()), 'pushed');
        return countIn((await notifications.find('app', job!.id))!.publishId!);
      };
      same(await push(first), { fcm: { unread: 4 } });
      await notifications.read('app', third!.id, start + 1, 'never');
      same(await push(second), { fcm: { unread: 3 } });
      await notifications.read('app', first!.id, start + 2, 'pushed');
      const [withdrawal] = (await jobsOf(stores, [first!.id], start + 2 + collectMs)) as [ClaimedJob];
      const withdrawn = counted();
      assert.equal(await notifications.withdraw(withdrawal, withdrawn), 'withdrawn');
      same(await countIn(withdrawn.publish.id), { fcm: { unread: 2 } });
    },
  },
  {
    promise: 'withdraws several notifications of a user by one publish, and no others',
    async test(stores) {
      const { notifications } = stores;
      const all = await added(
        stores,
        ...Array.from({ length: 5 }, () => toldTo('ann', pushed)),
        toldTo('bob', pushed),
        toldTo('ann', { ...pushed, appId: 'other' }),
      );
      for (const job of await jobsOf(stores, idsOf(all)))
        await notifications.push(job, start, Infinity, publishing(stores));
      for (const { appId, id } of all.slice(1)) await notifications.read(appId, id, start + 10, 'pushed');
      await notifications.read('app', all[0]!.id, start, 'pushed');
      const [job] = (await jobsOf(stores, [all[0]!.id], start + collectMs)) as [ClaimedJob];
      const others = await notifications.withdrawals(job, 10);
      same(idsOf(others).toSorted(), idsOf(all.slice(1, 5)).toSorted());
      for (const other of others) same(withdrawalIn(other), { userId: 'ann', platforms: ['fcm'] });
      same(idsOf(await notifications.withdrawals(job, 2)), idsOf(others.slice(0, 2)));
      const [left, ...taken] = idsOf(others) as [string, ...string[]];
      const [publish, late] = [publishing(stores), publishing(stores)];
      assert.equal(await notifications.withdraw(job, publish, [...taken, randomUUID()]), 'withdrawn');
      assert.equal(await isPublished(stores, publish.publish.id), true);
      assert.equal(await notifications.withdraw(job, late, [left]), 'lost');
      assert.equal(await isPublished(stores, late.publish.id), false);
      const [ofBob, elsewhere] = idsOf(all.slice(5)) as [string, string];
      same((await claimed(stores, start + hourMs)).toSorted(), [left, ofBob, elsewhere].toSorted());
    },
  },
  {
    promise: 'marks the unread notifications of a user as read together, up to a time and a number',
    async test(stores) {
      const all = await added(
        stores,
        ...Array.from({ length: 4 }, (_, n) => toldTo('ann', { ...pushed, createdAt: start + n, pushAt: start + n })),
        toldTo('ann', { createdAt: start + 50 }),
        toldTo('bob'),
        toldTo('ann', { appId: 'other' }),
      );
      const [done, first, second, third, later, ofBob, elsewhere] = idsOf(all) as Seven;
      await stores.notifications.read('app', done, start + 10, 'pushed');
      await pushNow(stores, second, start + 10);
      const readAll = (limit: number) => stores.notifications.readAll('app', 'ann', start + 20, limit, 'pushed');
      same(await readAll(1), [first]);
      same((await readAll(10)).toSorted(), [second, third].toSorted());
      same(await readAll(10), []);
      for (const id of [first, second, third])
        matches(await stores.notifications.find('app', id), { readAt: start + 20, withdrawnAt: start + 20 });
      matches(await stores.notifications.find('app', done), { readAt: start + 10 });
      for (const [app, id] of [
        ['app', later],
        ['app', ofBob],
        ['other', elsewhere],
      ] as const)
        assert.equal((await stores.notifications.find(app, id))!.readAt, undefined);
      // Only what was pushed is taken back.
      same(await claimed(stores, start + 2 * hourMs), [second]);
    },
  },
  {
    promise: 'marks each notification as read once when all are marked concurrently',
    async test(stores) {
      const all = await added(stores, ...Array.from({ length: 20 }, () => toldTo('ann', pushed)));
      const racing = Array.from({ length: 4 }, (_, n) =>
        stores.notifications.readAll('app', 'ann', start + n, 20, 'never'),
      );
      racing.push(
        stores.notifications
          .read('app', all[0]!.id, start, 'never')
          .then((read) => (read!.isFirst ? [all[0]!.id] : [])),
      );
      const read = (await Promise.all(racing)).flat();
      same(read.toSorted(), idsOf(all).toSorted());
      same(await claimed(stores, start + hourMs), []);
    },
  },
  {
    promise: 'deletes a notification of any state once, only for its app, and takes back what was pushed',
    async test(stores) {
      const { notifications } = stores;
      const all = await added(stores, ...Array.from({ length: 5 }, () => toldTo('ann', pushed)));
      const [waiting, sent, alone, read, kept] = idsOf(all) as [string, string, string, string, string];
      for (const job of await jobsOf(stores, [sent, read]))
        await notifications.push(job, start, Infinity, publishing(stores));
      await notifications.read('app', read, start, 'pushed');
      const remove = (id: string, withdraws: Withdraws = 'pushed') =>
        notifications.delete('app', id, start + 2000, withdraws);
      assert.equal(await notifications.delete('other', waiting, start, 'pushed'), undefined);
      for (const id of [waiting, sent, read]) {
        same(await remove(id), { userId: 'ann' });
        assert.equal(await remove(id), undefined);
        assert.equal(await notifications.find('app', id), undefined);
      }
      same(await remove(alone, 'always'), { userId: 'ann' });
      same(idsOf(await notifications.feed('app', 'ann', 10)), [kept]);
      assert.equal(await notifications.unread('app', 'ann'), 1);
      // The read one was to be withdrawn already.
      const due = await claims(stores, start + 2000 + collectMs);
      same(idsOf(due).toSorted(), [alone, sent, read, kept].toSorted());
      const withdrawals = due.filter(({ id }) => id !== kept);
      for (const job of withdrawals) {
        same(withdrawalIn(job), { userId: 'ann', platforms: ['fcm'] });
        assert.equal(await notifications.withdraw(job, publishing(stores)), 'withdrawn');
      }
      same(await claimed(stores, start + 2999 + collectMs), []);
    },
  },
  {
    promise: 'never pushes a notification that was deleted meanwhile, and only ends the job of a deleted one',
    async test(stores) {
      const { notifications } = stores;
      const [one, two] = idsOf(await added(stores, toldTo('ann', pushed), toldTo('ann', pushed))) as [string, string];
      const [job] = (await jobsOf(stores, [one])) as [ClaimedJob];
      await notifications.delete('app', one, start, 'pushed');
      const published: string[] = [];
      assert.equal(await notifications.push(job, start, 10, publishing(stores, published)), 'lost');
      for (const id of published) assert.equal(await isPublished(stores, id), false);
      const [held] = (await jobsOf(stores, [two], start + 1000)) as [ClaimedJob];
      await notifications.push(held, start + 1000, 10, publishing(stores));
      await notifications.delete('app', two, start + 1001, 'pushed');
      const [withdrawal] = (await jobsOf(stores, [two], start + 1001 + collectMs)) as [ClaimedJob];
      await notifications.skip(withdrawal, start + 1002);
      same(await claimed(stores, start + hourMs), []);
    },
  },
  {
    promise: 'deletes the notifications of a user together, up to a time and a number, each once',
    async test(stores) {
      const { notifications } = stores;
      const all = await added(
        stores,
        ...Array.from({ length: 6 }, (_, n) => toldTo('ann', { ...pushed, createdAt: start + n, pushAt: start + n })),
      );
      const others = await added(
        stores,
        toldTo('ann', { createdAt: start + 50 }),
        toldTo('bob'),
        toldTo('ann', { appId: 'other' }),
      );
      const [first, read] = idsOf(all) as [string, string];
      await notifications.read('app', read, start + 10, 'never');
      const remove = (limit: number) => notifications.deleteAll('app', 'ann', start + 20, limit, 'pushed');
      same(await remove(1), [first]);
      const racing = await Promise.all(Array.from({ length: 3 }, () => remove(10)));
      same(racing.flat().toSorted(), idsOf(all).slice(1).toSorted());
      for (const { appId, id } of others) assert.notEqual(await notifications.find(appId, id), undefined);
      same(await claimed(stores, start + hourMs), []);
    },
  },
  {
    promise: 'lists only unread notifications if requested',
    async test(stores) {
      const key = { collapseKey: 'chat' };
      const all = await added(stores, toldTo('ann'), toldTo('ann', key), toldTo('ann', key), toldTo('bob'));
      await stores.notifications.read('app', all[0]!.id, start, 'never');
      const feed = (isUnread: boolean) => stores.notifications.feed('app', 'ann', 10, undefined, isUnread);
      same(idsOf(await feed(true)), [all[2]!.id]);
      same(idsOf(await feed(false)).toSorted(), [all[0]!.id, all[2]!.id].toSorted());
    },
  },
  {
    promise: 'withdraws only unread notifications of the same key and user when a newer one is added',
    async test(stores) {
      const key = { collapseKey: 'chat' };
      const [old, read] = idsOf(await added(stores, toldTo('ann', { ...pushed, ...key }), toldTo('ann')));
      await stores.notifications.read('app', read!, start, 'pushed');
      const kept = await added(
        stores,
        toldTo('ann', { collapseKey: 'other' }),
        toldTo('bob', key),
        toldTo('ann', { ...key, appId: 'other' }),
        toldTo('ann'),
      );
      const newer = toldTo('ann', { ...pushed, ...key, createdAt: start + 7 });
      same(await stores.notifications.add([newer], 'pushed'), [{ id: old, userId: 'ann' }]);
      matches(await stores.notifications.find('app', old!), { withdrawnAt: start + 7 });
      for (const { appId, id } of [...kept, newer])
        assert.equal((await stores.notifications.find(appId, id))!.withdrawnAt, undefined);
      same(await claimed(stores, start + hourMs), [newer.id]);
      assert.equal(await stores.notifications.unread('app', 'ann'), 3);
    },
  },
  {
    promise: 'keeps one of several concurrent notifications with the same key',
    async test(stores) {
      const racing = Array.from({ length: 6 }, () => toldTo('ann', { collapseKey: 'chat' }));
      await Promise.all(racing.map((one) => stores.notifications.add([one], 'pushed')));
      assert.equal(await stores.notifications.unread('app', 'ann'), 1);
    },
  },
  {
    promise: 'adds one for each of many users, with a job each, and replaces those of the same key',
    async test(stores) {
      const { notifications } = stores;
      const key = { ...pushed, collapseKey: 'chat' };
      const users = Array.from({ length: 200 }, (_, n) => `user ${n}`);
      const old = await added(stores, toldTo('user 7', key), toldTo('user 7', pushed), toldTo('somebody', key));
      const many = users.map((user) => toldTo(user, { ...key, createdAt: start + 1, pushAt: start + 1 }));
      same(await notifications.add(many, 'pushed'), [{ id: old[0]!.id, userId: 'user 7' }]);
      for (const one of many) same(await notifications.find('app', one.id), one);
      const due = [
        ...(await claimed(stores, start + 1)),
        ...(await claimed(stores, start + 1)),
        ...(await claimed(stores, start + 1)),
      ];
      same(due.toSorted(), idsOf([old[1]!, old[2]!, ...many]).toSorted());
      same(await notifications.add([], 'pushed'), []);
    },
  },
  {
    promise: 'keeps one for each of several users of several concurrent notifications with the same key',
    async test(stores) {
      const users = ['ann', 'bob', 'cat', 'dan'];
      const racing = Array.from({ length: 6 }, (_, n) => {
        const some = n % 3 === 0 ? users.slice(2) : n % 3 === 1 ? users : users.toReversed();
        return stores.notifications.add(
          some.map((user) => toldTo(user, { collapseKey: 'chat' })),
          'never',
        );
      });
      const replaced = (await Promise.all(racing)).flat();
      for (const user of users) assert.equal(await stores.notifications.unread('app', user), 1);
      assert.equal(new Set(idsOf(replaced)).size, replaced.length);
    },
  },
  {
    promise: 'withdraws a pushed notification soon after a newer one replaces it, if requested',
    async test(stores) {
      const key = { ...pushed, collapseKey: 'chat' };
      const [{ id }] = (await added(stores, toldTo('ann', key))) as [NewNotification];
      await pushNow(stores, id);
      await stores.notifications.add(
        [toldTo('ann', { ...key, createdAt: start + 1, pushAt: start + hourMs })],
        'pushed',
      );
      same(await claimed(stores, start + 1 + collectMs), [id]);
    },
  },
  {
    promise: 'counts the unread notifications of a user in an app',
    async test(stores) {
      const [one] = await added(stores, toldTo('ann'), toldTo('ann'), toldTo('bob'), toldTo('ann', { appId: 'other' }));
      assert.equal(await stores.notifications.unread('app', 'ann'), 2);
      await stores.notifications.read('app', one!.id, start, 'never');
      assert.equal(await stores.notifications.unread('app', 'ann'), 1);
      assert.equal(await stores.notifications.unread('app', 'nobody'), 0);
    },
  },
  {
    promise: 'only ends the job when the withdrawal of a pushed notification is skipped',
    async test(stores) {
      const [{ id }] = (await added(stores, toldTo('ann', pushed))) as [NewNotification];
      await pushNow(stores, id);
      await stores.notifications.read('app', id, start + 1, 'pushed');
      const [job] = (await jobsOf(stores, [id], start + 1 + collectMs)) as [ClaimedJob];
      await stores.notifications.skip(job, start + 2 + collectMs);
      assert.equal((await stores.notifications.find('app', id))!.skippedAt, undefined);
      same(await claimed(stores, start + hourMs), []);
    },
  },
  {
    promise: 'lists a user’s notifications from the newest on, page by page, each once, without replaced ones',
    async test(stores) {
      const mine = Array.from({ length: 5 }, (_, n) => toldTo('ann', { createdAt: start + (n >> 1) }));
      const key = { collapseKey: 'chat', createdAt: start + 10 };
      const [replaced, newest] = [toldTo('ann', key), toldTo('ann', { ...key, createdAt: start + 11 })];
      await added(stores, ...mine, toldTo('bob'), toldTo('ann', { appId: 'other' }), replaced, newest);
      await stores.notifications.read('app', mine[0]!.id, start + 20, 'never');
      const pages: NotificationRecord[][] = [];
      for (let before; pages.length < 5; before = pages.at(-1)!.at(-1)) {
        const page = await stores.notifications.feed('app', 'ann', 2, before);
        if (page.length === 0) break;
        pages.push([...page]);
      }
      const inOrder = [...mine, newest].toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
      same(
        pages.map(({ length }) => length),
        [2, 2, 2],
      );
      same(idsOf(pages.flat()), idsOf(inOrder));
      matches(pages.flat().at(-1), { createdAt: start });
    },
  },
  {
    promise: 'lists an app’s notifications from the newest on, page by page, each once, with replaced ones',
    async test(stores) {
      const some = Array.from({ length: 4 }, (_, n) =>
        toldTo(n % 2 ? 'ann' : 'bob', { collapseKey: 'chat', createdAt: start + (n >> 1) }),
      );
      await added(stores, ...some, toldTo('ann', { appId: 'other' }));
      const first = await stores.notifications.latest('app', 3);
      const rest = await stores.notifications.latest('app', 3, first[2]);
      const inOrder = some.toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
      same([first.length, rest.length], [3, 1]);
      same(idsOf([...first, ...rest]), idsOf(inOrder));
      assert.equal(rest[0]!.withdrawnAt, start + 1);
    },
  },
  {
    promise: 'lists each app that has notifications once',
    async test(stores) {
      same(await stores.notifications.appIds(), []);
      await added(stores, toldTo('ann'), toldTo('ben'), toldTo('ann', { appId: 'other' }));
      same([...(await stores.notifications.appIds())].toSorted(), ['app', 'other']);
    },
  },
  {
    promise: 'forgets an app’s older notifications that are not due, up to a limit',
    async test(stores) {
      const old = Array.from({ length: 3 }, (_, n) => toldTo('ann', { createdAt: start - 3 + n }));
      const [waiting, recent, other] = [
        toldTo('ann', pushed),
        toldTo('ann', { createdAt: start + 1 }),
        toldTo('ann', { appId: 'other' }),
      ];
      await added(stores, ...old, waiting, recent, other);
      assert.equal(await stores.notifications.forget('app', start + 1, 2), 2);
      assert.equal(await stores.notifications.forget('app', start + 1, 2), 1);
      assert.equal(await stores.notifications.forget('app', start + 1, 2), 0);
      const left = await stores.notifications.feed('app', 'ann', 10);
      same(idsOf(left), [recent.id, waiting.id]);
      assert.notEqual(await stores.notifications.find('other', other.id), undefined);
    },
  },
]);
