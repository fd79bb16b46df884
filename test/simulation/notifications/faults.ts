import { Apps, HandledEvents } from 'rookery/internal/channels';
import { NotificationRepository, NotificationsMetrics, NotificationsSettings } from 'rookery/notifications';
import { MemoryPublishOutbox, PublishService } from 'rookery/publish';
import { NotificationSender } from '../../../libs/notifications/src/notification-sender.js';
import { ShownNotifications } from '../../../libs/notifications/src/shown-notifications.js';
import { NotificationWorker } from '../../../libs/notifications/src/notification.worker.js';
import { NotifyingApps } from '../../../libs/notifications/src/notifying-apps.js';
import { ReadLinks } from '../../../libs/notifications/src/read-links.js';
import { UnreadNotifier } from '../../../libs/notifications/src/unread-notifier.js';
import type { Prepare } from '../prepare.js';

interface Changes {
  readonly repository?: Partial<NotificationRepository>;
  readonly events?: Partial<HandledEvents>;
}

/** The same, with methods of its own. */
const changed = <Service extends object>(service: Service, methods: Partial<Service> = {}): Service =>
  Object.assign(Object.create(service) as Service, methods);

const nothing = (): void => {};

/** A process that finds something else in the store and on the way to pages when it sends. */
const withSender =
  (change: (repository: NotificationRepository, events: HandledEvents) => Changes): Prepare =>
  (module) =>
    module.overrideProvider(NotificationSender).useFactory({
      inject: [
        NotificationRepository,
        HandledEvents,
        UnreadNotifier,
        ReadLinks,
        NotificationWorker,
        NotificationsMetrics,
      ],
      factory: (
        ...[repository, events, unread, links, worker, metrics]: ConstructorParameters<typeof NotificationSender>
      ) => {
        const changes = change(repository, events);
        const stored = changed(repository, changes.repository);
        const shown = new ShownNotifications(stored);
        return new NotificationSender(stored, changed(events, changes.events), unread, links, worker, metrics, shown);
      },
    });

/** A process whose worker finds something else in the store, or has other settings. */
const withWorker =
  (
    change: (repository: NotificationRepository) => Partial<NotificationRepository>,
    settings: Partial<NotificationsSettings> = {},
  ): Prepare =>
  (module) =>
    module.overrideProvider(NotificationWorker).useFactory({
      inject: [
        Apps,
        NotifyingApps,
        NotificationRepository,
        PublishService,
        ReadLinks,
        NotificationsMetrics,
        NotificationsSettings,
        ShownNotifications,
      ],
      factory: (
        ...[apps, notifying, repository, publishes, links, metrics, own, shown]: ConstructorParameters<
          typeof NotificationWorker
        >
      ) => {
        const parts = [publishes, links, metrics, { ...own, ...settings }, shown] as const;
        return new NotificationWorker(apps, notifying, changed(repository, change(repository)), ...parts);
      },
    });

/** Nodes that leave out a step: the simulation proves itself by finding each of them. */
export const faults: Readonly<Record<string, Prepare>> = {
  'a notification is marked as shown when it is sent': withSender((repository, events) => ({
    events: {
      send: async (app, event, id) => {
        const position = await events.send(app, event, id);
        if (id !== undefined) repository.shown(app.id, id, Date.now()).catch(nothing);
        return position;
      },
    },
  })),

  'answers of pages count only in the process that sent the notification': withSender((_, events) => {
    const sent = new Set<string>();
    return {
      events: {
        listen: (handled) => events.listen((event) => sent.has(event.id) && handled(event)),
        send: (app, event, id) => {
          if (id !== undefined) sent.add(id);
          return events.send(app, event, id);
        },
      },
    };
  }),

  'a notification is acknowledged before it is stored': withSender((repository) => ({
    repository: {
      add: async (...of) => {
        setTimeout(() => void repository.add(...of).catch(nothing), 200);
        return [];
      },
    },
  })),

  'the push of a dead process is left': withWorker(() => ({}), { leaseMs: 100_000_000 }),

  'a push is published, and then recorded': withWorker((repository) => ({
    push: async (job, now, perHour, { publish, outbox }) => {
      await outbox.add(publish);
      return repository.push(job, now, perHour, { publish, outbox: new MemoryPublishOutbox() });
    },
  })),
};
