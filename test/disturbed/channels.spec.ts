import { Logger } from '@nestjs/common';
import { beforeEach, expect, it, vi } from 'vitest';
import { MemoryRequestRates, settingsOf, ThisNode } from '#common';
import type { WebhookDelivery, WebhookSender } from '#webhooks';
import { MemoryPresenceRepository, PresenceService } from 'rookery/presence';
import {
  appFrom,
  type Broker,
  type BrokerMessage,
  type ChannelName,
  ChannelsMetrics,
  ChannelsSettings,
  type Connection,
  EventStream,
  InProcessBroker,
  MemoryChannelRepository,
  MemoryIdempotencyKeys,
  MemoryReceiptRepository,
  parseChannelName,
  RepeatedTriggers,
} from 'rookery/internal/channels';
import type { Apps } from '../../libs/channels/src/access/apps.js';
import { EventSender } from '../../libs/channels/src/events/event-sender.js';
import { KeptBytes } from '../../libs/channels/src/events/kept-bytes.js';
import { TriggerRelay } from '../../libs/channels/src/events/trigger-relay.js';
import { TriggerSteps } from '../../libs/channels/src/events/trigger-step.js';
import type { Hub } from '../../libs/channels/src/hub/hub.js';
import { ActivityTap } from '../../libs/channels/src/lifecycle/activity-tap.js';
import { TransitionOrder } from '../../libs/channels/src/storage/transition-order.js';
import { Throttle } from '../../libs/channels/src/throttle.js';
import { Watchlists } from '../../libs/channels/src/users/watchlists.js';
import {
  type AnnouncementChange,
  type AnnouncementRepository,
  NoAnnouncements,
} from '../../libs/channels/src/webhooks/announcement.repository.js';
import { Announcements } from '../../libs/channels/src/webhooks/announcements.js';
import { WebhooksService } from '../../libs/channels/src/webhooks/webhooks.service.js';
import { ChannelNotifier } from '../../libs/channels/src/wings/channel-notifier.js';
import { LocalOccupancy } from '../../libs/channels/src/wings/occupancy/local-occupancy.js';
import { SubscriptionCounts } from '../../libs/channels/src/wings/occupancy/subscription-counts.js';
import { PresenceMembership } from '../../libs/channels/src/wings/presence/presence-membership.js';
import { newReceipt } from '../../libs/channels/src/wings/receipts/receipt-names.js';
import { ReceiptsService } from '../../libs/channels/src/wings/receipts/receipts.service.js';
import { MemoryTransaction, MemoryTriggerOutbox } from '../support/memory-trigger.outbox.js';
import { type Disturbance, survived } from './disturbed.js';
import { fakeTime, startedAt } from './fake-time.js';

// A fault between any two calls of ports of those that announce channels, members and counts, and of those that send
// events and receipts.

fakeTime();
beforeEach(() => Logger.overrideLogger(false));

const app = appFrom({
  id: 'app',
  key: 'k',
  secret: 's',
  subscriptionCount: true,
  watchlist: true,
  webhooks: [{ url: 'https://hooks.example/' }],
});
const named = (name: string): ChannelName => parseChannelName(name, { channelNameLength: 200, userIdLength: 128 })!;
const [news, room] = [named('news'), named('presence-room')];
const settings = settingsOf(ChannelsSettings, {});

/** Remembers what is published. */
class ListeningBroker extends InProcessBroker {
  readonly messages: BrokerMessage[] = [];

  override publish(message: BrokerMessage): string {
    this.messages.push(message);
    return String(this.messages.length);
  }
}

/** The latest change that was published of a user, or of a count. */
function latestChange({ messages }: ListeningBroker) {
  let latest: { version: number; isPresent: boolean; text: string } | undefined;
  for (const message of messages)
    if (message.kind === 'event' && message.change && message.change.version >= (latest?.version ?? 0))
      latest = { ...message.change, text: message.text };
  return latest && { isPresent: latest.isPresent, text: latest.text };
}

function world(disturbance: Disturbance) {
  const [channels, presence, listening] = [
    new MemoryChannelRepository(),
    new MemoryPresenceRepository(),
    new ListeningBroker(),
  ];
  const hooks = new Map<string, unknown[]>();
  const sender = {
    // A webhook that is queued twice has the same id, and is sent once.
    async send(deliveries: readonly WebhookDelivery[]) {
      for (const { id, body } of deliveries) hooks.set(id, (JSON.parse(body) as { events: unknown[] }).events);
      return { dropped: 0 };
    },
    lost: () => {},
  };
  const port = disturbance.port.bind(disturbance);
  const broker = port('broker', listening, ['publish']);
  const repository = port('channels', channels, ['occupy', 'holdsVacancy', 'confirmVacated', 'subscriptionCounts']);
  const ledger = port('presence', presence, [
    'join',
    'leave',
    'update',
    'roster',
    'memberCounts',
    'holdsAbsence',
    'confirmAbsent',
  ]);
  const rates = port('rates', new MemoryRequestRates(), ['take']);
  const node = new ThisNode();
  const webhooks = new WebhooksService(
    port('webhooks', sender, ['send']) as unknown as WebhookSender,
    new Throttle(rates),
    { urls: () => [] },
    { latest: (of) => of },
    settings,
    new Announcements(new NoAnnouncements()),
  );
  const [users, tap] = [new PresenceService(ledger, node), new ActivityTap()];
  const order = new TransitionOrder();
  const notifier = new ChannelNotifier(broker, webhooks, repository, users, node, tap, order);
  return {
    channels,
    presence,
    listening,
    hooks,
    occupancy: new LocalOccupancy(repository, node, notifier),
    membership: new PresenceMembership(users, order, notifier, settings),
    counts: new SubscriptionCounts(broker, repository, webhooks, new Throttle(rates)),
    watchlists: new Watchlists({} as Hub, broker, users, order),
  };
}

type World = ReturnType<typeof world>;

const connection = (socketId: string) => ({ app, socketId }) as Connection;
const later = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(90_000));
const eventsOf = ({ hooks }: World): unknown[] => [...hooks.values()].flat();
const namesOf = (of: World): unknown[] => eventsOf(of).map((event) => (event as { name: string }).name);

it('a channel that its last client leaves, and that is entered again later', async () => {
  const wrong = await survived<World>({
    world: async (disturbance) => {
      const made = world(disturbance);
      await made.occupancy.enter(app, 'news');
      await vi.advanceTimersByTimeAsync(10_000);
      return made;
    },
    work: async ({ occupancy }) => {
      await Promise.resolve(occupancy.leave(app, 'news')).catch(() => {});
      await vi.advanceTimersByTimeAsync(10_000);
    },
    later: async ({ occupancy }) => {
      await vi.advanceTimersByTimeAsync(15_000);
      await occupancy.enter(app, 'news');
      await later();
    },
    end: async (of) => ({ events: namesOf(of), counts: await of.channels.subscriptionCounts(app.id, ['news']) }),
  });
  expect(wrong).toEqual([]);
});

it('a member that leaves, while another joins', async () => {
  const wrong = await survived<World>({
    world: async (disturbance) => {
      const made = world(disturbance);
      await made.membership.join(connection('1.1'), room, { userId: 'ann' });
      await vi.advanceTimersByTimeAsync(10_000);
      made.listening.messages.length = 0;
      return made;
    },
    work: async ({ membership }) => {
      await membership.leave(connection('1.1'), room, { userId: 'ann' }).catch(() => {});
      await vi.advanceTimersByTimeAsync(10_000);
    },
    other: ({ presence }) =>
      presence.join({ scope: app.id, name: room.name }, { nodeId: 'b', connectionId: '2.1' }, { userId: 'bob' }, 10),
    later,
    end: async (of) => ({
      events: namesOf(of),
      told: latestChange(of.listening),
      members: (await of.presence.roster({ scope: app.id, name: room.name })).members.map(({ userId }) => userId),
    }),
  });
  expect(wrong).toEqual([]);
});

it('a user that goes offline is told to watchers', async () => {
  const wrong = await survived<World>({
    world,
    work: async ({ watchlists }) => {
      await watchlists.announce(app, 'ann', false, 7).catch(() => {});
    },
    later,
    end: ({ listening }) => latestChange(listening),
  });
  expect(wrong).toEqual([]);
});

it.each([3, 500])('the number of connections of a channel with %i', async (count) => {
  const wrong = await survived<World>({
    world: (disturbance) => {
      const made = world(disturbance);
      made.channels.occupy(app.id, 'news', 'node', count);
      return made;
    },
    work: async ({ counts }) => {
      counts.changed(app, news, { count, version: 1 });
      await vi.advanceTimersByTimeAsync(1);
    },
    later,
    end: ({ listening }) => {
      const last = listening.messages.at(-1);
      return last?.kind === 'event' ? last.text : undefined;
    },
  });
  expect(wrong).toEqual([]);
});

it('a trigger with an Idempotency-Key, which its client repeats', async () => {
  interface Triggers {
    readonly mine: RepeatedTriggers;
    readonly performed: string[];
    readonly send: { send(): Promise<void> };
  }
  const once = ({ mine, send }: Triggers) =>
    mine.once(app, 'key', {}, async () => {
      await send.send();
      return {};
    });
  const wrong = await survived<Triggers>({
    world: (disturbance) => {
      const keys = disturbance.port('keys', new MemoryIdempotencyKeys(), ['claim', 'answer', 'release']);
      const kept = new KeptBytes(settings, new ChannelsMetrics(), new InProcessBroker());
      const performed: string[] = [];
      const send = disturbance.port('events', { send: async () => void performed.push('sent') }, ['send']);
      return { mine: new RepeatedTriggers(keys, kept), performed, send };
    },
    work: async (of) => {
      const first = once(of);
      await Promise.all([first, vi.advanceTimersByTimeAsync(3000)]);
    },
    later: async (of) => {
      await later();
      await once(of);
    },
    end: ({ performed }) => performed,
    except: { 'events.send, loses its answer': 'a failure is not remembered, so the events are sent again' },
  });
  expect(wrong).toEqual([]);
});

it('events of a committed transaction, while another commits', async () => {
  interface Relayed {
    readonly relay: TriggerRelay;
    readonly outbox: MemoryTriggerOutbox;
    readonly listening: ListeningBroker;
  }
  const commit = ({ outbox }: Relayed, ...names: string[]): void => {
    const transaction = new MemoryTransaction();
    for (const name of names)
      transaction.events.push({ id: name, appId: app.id, channel: 'news', name, data: '', createdAt: startedAt });
    outbox.commit(transaction);
  };
  const wrong = await survived<Relayed>({
    world: (disturbance) => {
      const [outbox, listening, metrics] = [new MemoryTriggerOutbox(), new ListeningBroker(), new ChannelsMetrics()];
      const broker: Broker = disturbance.port('broker', listening, ['publish']);
      const calls = disturbance.port('outbox', outbox, ['claim', 'done', 'release', 'bury']);
      const apps = { findById: () => app } as unknown as Apps;
      const options = Object.assign(new ChannelsSettings(), {
        triggerRelay: { enabled: true, pollMs: 1000, leaseMs: 10_000 },
      });
      const kept = new KeptBytes(options, metrics, broker);
      const sender = new EventSender(broker, metrics, options, new ActivityTap(), kept);
      const relay = new TriggerRelay(calls, apps, sender, new TriggerSteps([]), options, metrics);
      const made = { relay, outbox, listening };
      commit(made, 'one', 'two');
      return made;
    },
    work: async ({ relay }) => {
      relay.onApplicationBootstrap();
      await vi.advanceTimersByTimeAsync(500);
    },
    other: (of) => commit(of, 'three'),
    later,
    end: async ({ relay, outbox, listening }) => {
      await relay.beforeApplicationShutdown();
      const names = listening.messages.map((message) =>
        message.kind === 'event' ? (JSON.parse(message.text) as { event: string }).event : '',
      );
      // Each at least once, and in the order of the commits.
      const first = [...new Set(names)];
      return { first, isInOrder: names.lastIndexOf('one') <= names.lastIndexOf('three'), ...(await outbox.backlog()) };
    },
  });
  expect(wrong).toEqual([]);
});

it('a receipt', async () => {
  // They wait by timers of Node, which are not replaced.
  vi.useRealTimers();
  interface Receipts {
    readonly service: ReceiptsService;
    readonly receipt: string;
    readonly told: string[];
  }
  const wrong = await survived<Receipts>({
    world: (disturbance) => {
      const told: string[] = [];
      const kept = new KeptBytes(settings, new ChannelsMetrics(), new InProcessBroker());
      const repository = disturbance.port('receipts', new MemoryReceiptRepository(), ['add']);
      const webhooks = { emit: (_: unknown, { user_id: user }: { user_id: string }) => told.push(user) };
      const apps = { named: async () => app } as unknown as Apps;
      const service = new ReceiptsService(apps, repository, webhooks as never, settings, kept);
      return { service, receipt: newReceipt(app, room.name, Date.now()), told };
    },
    work: async ({ service, receipt }) => {
      service.note(app, { channel: room.name, receipt, userId: 'ann', isShown: false });
      await service.beforeApplicationShutdown();
    },
    other: ({ service, receipt }) => service.note(app, { channel: room.name, receipt, userId: 'bob', isShown: true }),
    later: ({ service }) => service.beforeApplicationShutdown(),
    end: async ({ service, receipt, told }) => ({
      users: (await service.find(app, receipt)).receipts.map(({ user_id: user }) => user),
      told: told.toSorted(),
    }),
    except: { 'receipts.add, loses its answer': 'a repeated receipt is not new, so its webhook is not sent' },
  });
  expect(wrong).toEqual([]);
});

it('what webhooks have announced, while more is announced', async () => {
  interface Announced {
    readonly announcements: Announcements;
    readonly kept: Map<string, boolean>;
  }
  const change = (channel: string, isThere: boolean): AnnouncementChange => ({
    appId: app.id,
    channel,
    userId: '',
    isThere,
  });
  const wrong = await survived<Announced>({
    world: (disturbance) => {
      const kept = new Map<string, boolean>();
      const repository = {
        async save(changes: readonly AnnouncementChange[]): Promise<void> {
          for (const { channel, isThere } of changes) kept.set(channel, isThere);
        },
        all: async () => [],
        close: async () => {},
      } as unknown as AnnouncementRepository;
      const calls = disturbance.port('announcements', repository, ['save']);
      return { announcements: new Announcements(calls), kept };
    },
    work: async ({ announcements }) => {
      announcements.save(change('news', true));
      await vi.advanceTimersByTimeAsync(1);
    },
    other: ({ announcements }) => announcements.save(change('news', false)),
    later,
    end: ({ kept }) => [...kept],
  });
  expect(wrong).toEqual([]);
});

it('the pieces of a stream', async () => {
  interface Streaming {
    readonly stream: EventStream;
    readonly pieces: { at: number; text: string; end?: string }[];
  }
  const wrong = await survived<Streaming>({
    world: (disturbance) => {
      const pieces: Streaming['pieces'] = [];
      const broker = {
        async send(data: readonly string[]): Promise<void> {
          for (const each of data) pieces.push(JSON.parse(each) as Streaming['pieces'][number]);
        },
      };
      const calls = disturbance.port('broker', broker, ['send']);
      const output = {
        bounds: { events: 100, seconds: 60, bytes: 100_000 },
        dataBytes: 10_000,
        joinMs: 50,
        timeoutMs: 60_000,
        send: (data: readonly string[]) => calls.send(data),
        closed: () => {},
      };
      return { stream: new EventStream('s', output), pieces };
    },
    work: async ({ stream }) => {
      for (const text of ['Hello', ', ', 'world']) {
        stream.append(text);
        await new Promise(setImmediate);
        await vi.advanceTimersByTimeAsync(100);
      }
      void stream.end();
      await new Promise(setImmediate);
      await vi.advanceTimersByTimeAsync(1000);
    },
    later: async () => {
      for (let n = 0; n < 5; n++) {
        await new Promise(setImmediate);
        await vi.advanceTimersByTimeAsync(1000);
      }
    },
    // As a reader puts them together, whatever comes twice.
    end: ({ pieces }) => {
      let text = '';
      for (const piece of pieces) if (piece.at <= text.length) text = text.slice(0, piece.at) + piece.text;
      return { text, ends: pieces.at(-1)?.end };
    },
  });
  expect(wrong).toEqual([]);
});
