import { Logger } from '@nestjs/common';
import { beforeEach, expect, it, vi } from 'vitest';
import { settingsOf } from '#common';
import { type Apps, appFrom, type CheckedEvent, type HandledEvents } from 'rookery/internal/channels';
import type { PublishService } from 'rookery/publish';
import { NotificationsMetrics } from '../../libs/notifications/src/metrics.js';
import { NotificationRetention } from '../../libs/notifications/src/notification-retention.js';
import { NotificationSender } from '../../libs/notifications/src/notification-sender.js';
import { NotificationWorker } from '../../libs/notifications/src/notification.worker.js';
import { AppNotifications, NotificationsSettings } from '../../libs/notifications/src/notifications.options.js';
import { NotificationsService } from '../../libs/notifications/src/notifications.service.js';
import type { NotifyingApps } from '../../libs/notifications/src/notifying-apps.js';
import type { ReadLinks } from '../../libs/notifications/src/read-links.js';
import { ShownNotifications } from '../../libs/notifications/src/shown-notifications.js';
import { MemoryNotificationRepository } from '../../libs/notifications/src/store/memory-notification.repository.js';
import { UnreadNotifier } from '../../libs/notifications/src/unread-notifier.js';
import { type Disturbance, survived } from './disturbed.js';
import { fakeTime } from './fake-time.js';

// A fault between any two calls of ports of those that notify users, tell their pages, and push.

fakeTime();
beforeEach(() => Logger.overrideLogger(false));

const app = appFrom({ id: 'app', key: 'k', secret: 's' });
const push = { fcm: { notification: { title: 'hi' } } };

/** The open page of a user. */
class Page {
  /** The texts of notifications, by id. */
  readonly shown = new Map<string, unknown>();
  unread: number | undefined;

  async send(_: unknown, { name, data }: CheckedEvent, id?: string): Promise<string> {
    const fields = JSON.parse(data) as { text?: string; unread?: number; withdrawn?: string[] };
    if (name === 'note') this.shown.set(id!, fields.text);
    else this.unread = fields.unread;
    for (const each of fields.withdrawn ?? []) this.shown.delete(each);
    return '1';
  }
}

/** The services over these ports, for Ann, who has an open page. */
function services(repository: MemoryNotificationRepository, page: Page, publishes: PublishService, hasWorker = true) {
  const settings = { ...settingsOf(AppNotifications, {}), appId: app.id, instanceId: 'instance' };
  const apps = {
    named: async () => ({ app, settings }),
    find: () => settings,
    keepSeconds: () => settings.keepSeconds,
  } as unknown as NotifyingApps;
  const events = {
    check: (_: unknown, userId: string, { name, data }: { name: string; data: unknown }) => ({
      name,
      data: typeof data === 'string' ? data : JSON.stringify(data),
      channels: [userId],
    }),
    send: (...sent: Parameters<Page['send']>) => page.send(...sent),
    listen: () => {},
  } as unknown as HandledEvents;
  const [metrics, links] = [
    new NotificationsMetrics(repository),
    { linkOf: () => '/read' } as Partial<ReadLinks> as ReadLinks,
  ];
  const [notifier, shown] = [
    new UnreadNotifier(repository, events, { isShared: true }),
    new ShownNotifications(repository),
  ];
  const options = settingsOf(NotificationsSettings, { leaseMs: 10_000, worker: hasWorker });
  const found = { findById: () => app } as unknown as Apps;
  const worker = new NotificationWorker(found, apps, repository, publishes, links, metrics, options, shown);
  const sender = new NotificationSender(repository, events, notifier, links, worker, metrics, shown);
  const service = new NotificationsService(apps, repository, sender, notifier, links, worker, metrics);
  return { service, worker, shown, retention: new NotificationRetention(options, apps, repository) };
}

function world(disturbance: Disturbance) {
  const [kept, page, pushed] = [new MemoryNotificationRepository(), new Page(), new Set<string>()];
  let made = 0;
  const publishing = { add: async ({ id }: { id: string }) => (pushed.add(id), { outcome: 'added', publishId: id }) };
  const outbox = disturbance.port('outbox', publishing, ['add']);
  const publishes = {
    prepareForUsers: async () => ({ publish: { id: `publish-${++made}` }, outbox, added: () => {} }),
  } as unknown as PublishService;
  const jobs = disturbance.port('jobs', kept.jobs, ['claim', 'done', 'retry', 'bury']);
  const calls = disturbance.port('repository', kept, [
    'add',
    'find',
    'shown',
    'read',
    'readAll',
    'delete',
    'deleteAll',
    'unread',
    'push',
    'withdrawals',
    'withdraw',
    'skip',
    'appIds',
    'forget',
  ]);
  const repository = new Proxy(calls, {
    get: (port, name) => (name === 'jobs' ? jobs : (Reflect.get(port, name) as unknown)),
  });
  const mine = services(repository, disturbance.port('page', page, ['send']), publishes);
  return { ...mine, kept, page, pushed, others: services(kept, page, publishes, false), ids: [] as string[] };
}

type World = ReturnType<typeof world>;

const body = (text: string, more: object = {}) => ({ event: { name: 'note', data: { text } }, ...more });

/** What the page shows is what is unread, and has its number. */
async function end({ kept, page, pushed }: World) {
  const feed = await kept.feed(app.id, 'ann', 100);
  const textOf = ({ event }: { event: { data: string } }) => (JSON.parse(event.data) as { text: string }).text;
  return {
    feed: feed.map((record) => ({ text: textOf(record), isRead: record.readAt !== undefined })),
    shown: Array.from(page.shown.values(), String).toSorted(),
    unread: page.unread,
    pushed: pushed.size,
  };
}

const later = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(120_000));

/** Two notifications that the page shows. */
async function notified(disturbance: Disturbance): Promise<World> {
  const made = world(disturbance);
  for (const text of ['one', 'two']) await add(made, body(text));
  return made;
}

/** Each has a time of its own, so that their order is the same in each run. */
async function add({ others, ids }: World, notification: ReturnType<typeof body>): Promise<void> {
  ids.push(await others.service.notify('ann', notification));
  await vi.advanceTimersByTimeAsync(1);
}

const lost = 'the repeated call changes nothing, and does not know whom to tell';

const unreached = 'a page that is not reached gets a push instead';
const woken = 'the worker does what is due beside it';
const second = 'a second request is a second notification';

it('a notification, while another is read', async () => {
  const wrong = await survived<World>({
    waits: true,
    world: notified,
    work: ({ service }) => service.notify('ann', body('three')),
    other: ({ others, ids }) => others.service.read(ids[0]!),
    later,
    end,
    except: {
      'repository.add, loses its answer': second,
      'page.send, fails': unreached,
      'jobs.claim, is not waited for': woken,
    },
  });
  expect(wrong).toEqual([]);
});

it('a notification that replaces another, while that one is read', async () => {
  const wrong = await survived<World>({
    waits: true,
    world: async (disturbance) => {
      const made = await notified(disturbance);
      await add(made, body('old', { collapseKey: 'key' }));
      return made;
    },
    work: ({ service }) => service.notify('ann', body('new', { collapseKey: 'key' })),
    other: ({ others, ids }) => others.service.read(ids[2]!),
    later,
    end,
    except: { 'page.send, fails': unreached, 'jobs.claim, is not waited for': woken },
  });
  expect(wrong).toEqual([]);
});

it.each<[string, (world: World) => Promise<unknown>, string?]>([
  ['read', ({ service, ids }) => service.read(ids[0]!)],
  ['deleted', ({ service, ids }) => service.delete(ids[0]!), 'delete'],
  ['all read', ({ service }) => service.readAll('ann'), 'readAll'],
  ['all deleted', ({ service }) => service.deleteAll('ann'), 'deleteAll'],
])('notifications that are %s, while another comes', async (_, work, change) => {
  const wrong = await survived<World>({
    waits: true,
    world: notified,
    work,
    other: ({ others }) => others.service.notify('ann', body('three')),
    later,
    end,
    except: {
      'jobs.claim, is not waited for': woken,
      ...(change !== undefined && { [`repository.${change}, loses its answer`]: lost }),
    },
  });
  expect(wrong).toEqual([]);
});

it('an acknowledgement of a page, while the push is due', async () => {
  const wrong = await survived<World>({
    world: async (disturbance) => {
      const made = world(disturbance);
      await add(made, body('one', { push, pushAfterSeconds: 5 }));
      return made;
    },
    work: ({ shown, ids }) => shown.add(app.id, ids[0]!),
    later,
    end,
  });
  expect(wrong).toEqual([]);
});

it('a push that is due, while another notification is read', async () => {
  const wrong = await survived<World>({
    world: async (disturbance) => {
      const made = await notified(disturbance);
      await add(made, body('three', { push, pushAfterSeconds: 0 }));
      return made;
    },
    work: async ({ worker }) => {
      worker.onApplicationBootstrap();
      await vi.advanceTimersByTimeAsync(100);
    },
    other: ({ others, ids }) => others.service.read(ids[0]!),
    later,
    end: async (of) => {
      const ended = await end(of);
      await of.worker.beforeApplicationShutdown();
      return { ...ended, jobs: await of.kept.jobs.size() };
    },
    except: { 'outbox.add, loses its answer': 'a publish without an answer may be repeated' },
  });
  expect(wrong).toEqual([]);
});

it('what is forgotten, while a notification comes', async () => {
  const wrong = await survived<World>({
    world: async (disturbance) => {
      const made = await notified(disturbance);
      vi.setSystemTime(Date.now() + 400 * 86_400_000);
      return made;
    },
    work: async ({ retention }) => {
      retention.onApplicationBootstrap();
      await vi.advanceTimersByTimeAsync(600_000);
      await retention.beforeApplicationShutdown();
    },
    other: ({ others }) => others.service.notify('ann', body('new')),
    end: async (of) => (await end(of)).feed,
  });
  expect(wrong).toEqual([]);
});
