import { randomUUID } from 'node:crypto';
import type { ClaimedJob } from 'rookery/jobs';
import type { NewNotification, NotificationRecord, NotificationRepository, Publishing } from 'rookery/notifications';
import { type PublishOutbox, publishOf } from 'rookery/publish';
import { contract } from './contract.js';
import { expect } from './expect.js';

/** A repository, and the outbox with which it publishes. */
export interface NotificationStores {
  readonly notifications: NotificationRepository;
  readonly publishes: PublishOutbox;
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
  for (const one of all) await notifications.add(one, true);
  return all;
}

/** Publishes with the given id. */
const publishing =
  ({ publishes }: NotificationStores, published: string[] = []): Publishing =>
  async (within) => {
    const publish = publishOf(instanceId, { users: ['ann'], fcm: {} }, start);
    published.push(publish.id);
    await publishes.add(publish, undefined, within && { transaction: within, committed: () => undefined });
    return { publishId: publish.id };
  };

const isPublished = async ({ publishes }: NotificationStores, publishId: string): Promise<boolean> =>
  Boolean(await publishes.find(instanceId, publishId));

const idsOf = (all: readonly { readonly id: string }[]): string[] => all.map(({ id }) => id);
const claims = async ({ notifications: { jobs } }: NotificationStores, now = start): Promise<readonly ClaimedJob[]> =>
  jobs.claim({ id: randomUUID(), now, limit: 100, perKey: 1, busy: new Set(), leaseMs: 1000 });
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
      expect(await stores.notifications.find('app', one!.id)).toEqual(one);
      expect(await stores.notifications.find('app', plain!.id)).toEqual(plain);
      expect(await stores.notifications.find('other', one!.id)).toBeUndefined();
      expect(await stores.notifications.find('app', randomUUID())).toBeUndefined();
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
      expect(found.map(({ id, owner }) => [owner, id])).toEqual([
        ['app', first!.id],
        ['app', second!.id],
      ]);
      expect(await claimed(stores, start + 999)).toEqual([later!.id]);
      expect((await claimed(stores, start + 1000)).toSorted()).toEqual([first!.id, second!.id].toSorted());
    },
  },
  {
    promise: 'pushes once, and records the publish',
    async test(stores) {
      const [{ id }] = (await added(stores, toldTo('ann', pushed))) as [NewNotification];
      const [job] = (await jobsOf(stores, [id])) as [ClaimedJob];
      const push = () => stores.notifications.push(job, start + 5, Infinity, publishing(stores));
      expect(await push()).toBe('pushed');
      const record = await stores.notifications.find('app', id);
      expect(record).toMatchObject({ pushedAt: start + 5 });
      expect(await isPublished(stores, record!.publishId!)).toBe(true);
      expect(await claimed(stores, start + hourMs)).toEqual([]);
      expect(await push()).toBe('lost');
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
      await stores.notifications.read('app', read, start, true);
      expect(await claimed(stores, start + 1000)).toEqual([late]);
      const published: string[] = [];
      for (const job of jobs) {
        const push = stores.notifications.push(job, start + 1, Infinity, publishing(stores, published));
        expect(await push).toBe('lost');
        expect((await stores.notifications.find('app', job.id))!.pushedAt).toBeUndefined();
        await stores.notifications.skip(job, start + 1);
        await stores.notifications.jobs.retry(job, start + 1);
      }
      for (const publishId of published) expect(await isPublished(stores, publishId)).toBe(false);
      expect((await stores.notifications.find('app', late))!.skippedAt).toBeUndefined();
      expect(await claimed(stores, start + 1999)).toEqual([]);
      expect(await claimed(stores, start + 2000)).toEqual([late]);
    },
  },
  {
    promise: 'changes nothing if publishing fails',
    async test(stores) {
      const [one] = (await added(stores, toldTo('ann', pushed))) as [NewNotification];
      const [job] = (await jobsOf(stores, [one.id])) as [ClaimedJob];
      const failing = stores.notifications.push(job, start, Infinity, () =>
        Promise.reject(new TypeError('the outbox is full')),
      );
      await expect(failing).rejects.toBeInstanceOf(TypeError);
      expect(await stores.notifications.find('app', one.id)).toEqual(one);
      await stores.notifications.jobs.retry(job, start + 50);
      expect(await claimed(stores, start + 49)).toEqual([]);
      expect(await claimed(stores, start + 50)).toEqual([one.id]);
    },
  },
  {
    promise: 'limits the pushes to a user within an hour',
    async test(stores) {
      const all = await added(stores, ...Array.from({ length: 3 }, () => toldTo('ann', pushed)), toldTo('bob', pushed));
      const [first, second, third, others] = await jobsOf(stores, idsOf(all));
      const push = (job?: ClaimedJob, now = start) => stores.notifications.push(job!, now, 1, publishing(stores));
      expect(await push(first)).toBe('pushed');
      expect(await push(second, start + hourMs - 1)).toBe('limited');
      expect(await push(others)).toBe('pushed');
      const limited = await stores.notifications.find('app', second!.id);
      expect(limited).toMatchObject({ skippedAt: start + hourMs - 1 });
      expect(limited!.pushedAt).toBeUndefined();
      expect(await push(third, start + hourMs)).toBe('pushed');
      expect(await claimed(stores, start + 2 * hourMs)).toEqual([]);
    },
  },
  {
    promise: 'never makes a skipped notification due again',
    async test(stores) {
      const [{ id }] = (await added(stores, toldTo('ann', pushed))) as [NewNotification];
      const [job] = (await jobsOf(stores, [id])) as [ClaimedJob];
      await stores.notifications.skip(job, start + 3);
      expect(await stores.notifications.find('app', id)).toMatchObject({ skippedAt: start + 3 });
      expect(await claimed(stores, start + hourMs)).toEqual([]);
    },
  },
  {
    promise: 'records when it was first shown, only for its own app',
    async test(stores) {
      const [{ id }] = (await added(stores, toldTo('ann', pushed))) as [NewNotification];
      await stores.notifications.shown('other', id, start + 1);
      expect((await stores.notifications.find('app', id))!.shownAt).toBeUndefined();
      await stores.notifications.shown('app', id, start + 2);
      await stores.notifications.shown('app', id, start + 3);
      expect(await stores.notifications.find('app', id)).toMatchObject({ shownAt: start + 2 });
      expect(await claimed(stores, start + hourMs)).toEqual([]);
      expect(await stores.notifications.unread('app', 'ann')).toBe(1);
    },
  },
  {
    promise: 'marks a notification as read once, and withdraws it',
    async test(stores) {
      const [{ id }] = (await added(stores, toldTo('ann', pushed))) as [NewNotification];
      const read = (now: number, appId = 'app') => stores.notifications.read(appId, id, now, false);
      expect(await read(start, 'other')).toBeUndefined();
      expect(await read(start + 1)).toEqual({ userId: 'ann', isFirst: true });
      expect(await read(start + 2)).toEqual({ userId: 'ann', isFirst: false });
      expect(await stores.notifications.find('app', id)).toMatchObject({ readAt: start + 1, withdrawnAt: start + 1 });
      expect(await claimed(stores, start + hourMs)).toEqual([]);
    },
  },
  {
    promise: 'makes a pushed notification due at once when it is read, if requested',
    async test(stores) {
      const all = await added(stores, toldTo('ann', pushed), toldTo('ann', pushed), toldTo('ann', pushed));
      const [asked, unasked, unpushed] = idsOf(all) as [string, string, string];
      const jobs = await jobsOf(stores, [asked, unasked]);
      for (const job of jobs) await stores.notifications.push(job, start, Infinity, publishing(stores));
      await stores.notifications.read('app', asked, start + 9, true);
      await stores.notifications.read('app', unasked, start + 9, false);
      await stores.notifications.read('app', unpushed, start + 9, true);
      const [due, ...others] = await claims(stores, start + 9);
      expect(due).toMatchObject({ id: asked, owner: 'app' });
      expect(others).toEqual([]);
      const published: string[] = [];
      expect(await stores.notifications.withdraw(jobs[0]!, publishing(stores, published))).toBe('lost');
      expect(await stores.notifications.withdraw(due!, publishing(stores, published))).toBe('withdrawn');
      expect(await Promise.all(published.map((id) => isPublished(stores, id)))).toContain(true);
      expect(await claimed(stores, start + hourMs)).toEqual([]);
      const { pushedAt, publishId } = (await stores.notifications.find('app', asked))!;
      expect([pushedAt, published.includes(publishId!)]).toEqual([start, false]);
    },
  },
  {
    promise: 'withdraws only unread notifications of the same key and user when a newer one is added',
    async test(stores) {
      const key = { collapseKey: 'chat' };
      const [old, read] = idsOf(await added(stores, toldTo('ann', { ...pushed, ...key }), toldTo('ann')));
      await stores.notifications.read('app', read!, start, true);
      const kept = await added(
        stores,
        toldTo('ann', { collapseKey: 'other' }),
        toldTo('bob', key),
        toldTo('ann', { ...key, appId: 'other' }),
        toldTo('ann'),
      );
      const newer = toldTo('ann', { ...pushed, ...key, createdAt: start + 7 });
      expect(await stores.notifications.add(newer, true)).toEqual([old]);
      expect(await stores.notifications.find('app', old!)).toMatchObject({ withdrawnAt: start + 7 });
      for (const { appId, id } of [...kept, newer])
        expect((await stores.notifications.find(appId, id))!.withdrawnAt).toBeUndefined();
      expect(await claimed(stores, start + hourMs)).toEqual([newer.id]);
      expect(await stores.notifications.unread('app', 'ann')).toBe(3);
    },
  },
  {
    promise: 'keeps one of several concurrent notifications with the same key',
    async test(stores) {
      const racing = Array.from({ length: 6 }, () => toldTo('ann', { collapseKey: 'chat' }));
      await Promise.all(racing.map((one) => stores.notifications.add(one, true)));
      expect(await stores.notifications.unread('app', 'ann')).toBe(1);
    },
  },
  {
    promise: 'makes a pushed notification due at once when a newer one replaces it, if requested',
    async test(stores) {
      const key = { ...pushed, collapseKey: 'chat' };
      const [{ id }] = (await added(stores, toldTo('ann', key))) as [NewNotification];
      await pushNow(stores, id);
      await stores.notifications.add(toldTo('ann', { ...key, createdAt: start + 1, pushAt: start + hourMs }), true);
      expect(await claimed(stores, start + 1)).toEqual([id]);
    },
  },
  {
    promise: 'counts the unread notifications of a user in an app',
    async test(stores) {
      const [one] = await added(stores, toldTo('ann'), toldTo('ann'), toldTo('bob'), toldTo('ann', { appId: 'other' }));
      expect(await stores.notifications.unread('app', 'ann')).toBe(2);
      await stores.notifications.read('app', one!.id, start, false);
      expect(await stores.notifications.unread('app', 'ann')).toBe(1);
      expect(await stores.notifications.unread('app', 'nobody')).toBe(0);
    },
  },
  {
    promise: 'only ends the job when the withdrawal of a pushed notification is skipped',
    async test(stores) {
      const [{ id }] = (await added(stores, toldTo('ann', pushed))) as [NewNotification];
      await pushNow(stores, id);
      await stores.notifications.read('app', id, start + 1, true);
      const [job] = (await jobsOf(stores, [id], start + 1)) as [ClaimedJob];
      await stores.notifications.skip(job, start + 2);
      expect((await stores.notifications.find('app', id))!.skippedAt).toBeUndefined();
      expect(await claimed(stores, start + hourMs)).toEqual([]);
    },
  },
  {
    promise: 'lists a user’s notifications from the newest on, page by page, each once, without replaced ones',
    async test(stores) {
      const mine = Array.from({ length: 5 }, (_, n) => toldTo('ann', { createdAt: start + (n >> 1) }));
      const key = { collapseKey: 'chat', createdAt: start + 10 };
      const [replaced, newest] = [toldTo('ann', key), toldTo('ann', { ...key, createdAt: start + 11 })];
      await added(stores, ...mine, toldTo('bob'), toldTo('ann', { appId: 'other' }), replaced, newest);
      await stores.notifications.read('app', mine[0]!.id, start + 20, false);
      const pages: NotificationRecord[][] = [];
      for (let before; pages.length < 5; before = pages.at(-1)!.at(-1)) {
        const page = await stores.notifications.feed('app', 'ann', 2, before);
        if (page.length === 0) break;
        pages.push([...page]);
      }
      const inOrder = [...mine, newest].toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
      expect(pages.map(({ length }) => length)).toEqual([2, 2, 2]);
      expect(idsOf(pages.flat())).toEqual(idsOf(inOrder));
      expect(pages.flat().at(-1)).toMatchObject({ createdAt: start });
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
      expect([first.length, rest.length]).toEqual([3, 1]);
      expect(idsOf([...first, ...rest])).toEqual(idsOf(inOrder));
      expect(rest[0]!.withdrawnAt).toBe(start + 1);
    },
  },
  {
    promise: 'lists each app that has notifications once',
    async test(stores) {
      expect(await stores.notifications.appIds()).toEqual([]);
      await added(stores, toldTo('ann'), toldTo('ben'), toldTo('ann', { appId: 'other' }));
      expect([...(await stores.notifications.appIds())].toSorted()).toEqual(['app', 'other']);
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
      expect(await stores.notifications.forget('app', start + 1, 2)).toBe(2);
      expect(await stores.notifications.forget('app', start + 1, 2)).toBe(1);
      expect(await stores.notifications.forget('app', start + 1, 2)).toBe(0);
      const left = await stores.notifications.feed('app', 'ann', 10);
      expect(idsOf(left)).toEqual([recent.id, waiting.id]);
      expect(await stores.notifications.find('other', other.id)).toBeDefined();
    },
  },
]);
