import {
  type App,
  Apps,
  Broker,
  type BrokerEvent,
  type BrokerMessage,
  ChannelRepository,
  ChannelsSettings,
  type Connection,
  EventsService,
  MembersService,
  NodesService,
  type Occupancy,
  type Position,
  type SessionRepository,
  SubscriptionsService,
} from 'rookery/channels';
import { Listeners, WebhookSender } from '#webhooks';
import {
  type Joined,
  type Left,
  type Member,
  type PresenceChange,
  PresenceService,
  type Roster,
} from 'rookery/presence';
import {
  RemoteBroker,
  RemoteChannelRepository,
  RemoteSessionRepository,
} from '../../apps/server/src/workers/remote-ports.js';
import { primaryServices } from '../../apps/server/src/workers/link-services.js';
import { RpcLink } from '../../apps/server/src/workers/rpc-link.js';
import { Budgets } from '../../libs/channels/src/connections/budgets.js';
import { sessions } from '../../libs/channels/src/connections/session.js';
import { Hub } from '../../libs/channels/src/hub/hub.js';
import type { ChannelName } from '../../libs/channels/src/protocol/channel-name.js';
import type { ProtocolError } from '../../libs/channels/src/protocol/protocol-error.js';
import { Inbox } from '../../libs/channels/src/sockets/inbox.js';
import { clientEventRates, ClientEvents } from '../../libs/channels/src/events/client-events.js';
import { Throttle } from '../../libs/channels/src/throttle.js';
import { SlidingSecond } from '../../libs/channels/src/sliding-second.js';
import { Replay, type Replayed } from '../../libs/channels/src/wings/sessions/replay.js';
import { type Missed, SessionsService } from '../../libs/channels/src/wings/sessions/sessions.service.js';
import type { HoldableActivity, PromptActivity } from '../../libs/channels/src/webhooks/channel-events.js';
import type { Disappearance } from '../../libs/channels/src/webhooks/held-events.js';
import { Announcements } from '../../libs/channels/src/webhooks/announcements.js';
import { WebhooksService } from '../../libs/channels/src/webhooks/webhooks.service.js';
import { SubscriptionCounts } from '../../libs/channels/src/wings/occupancy/subscription-counts.js';
import { TransitionOrder } from '../../libs/channels/src/storage/transition-order.js';
import { ChannelNotifier } from '../../libs/channels/src/wings/channel-notifier.js';
import { PresenceMembership } from '../../libs/channels/src/wings/presence/presence-membership.js';
import { faults as hostileFaults } from './hostile/faults.js';
import { NodeLink } from './node-link.js';
import type { Prepare } from './prepare.js';

const anyChange = { positions: [['', null]] } as const;

/** Nodes that leave out a step: the simulation proves itself by finding each of them. */
export const faults: Readonly<Record<string, Prepare>> = {
  // As once with WORKERS, if a worker died while a connection was on its way to it.
  'the dead stay where they were': (module) =>
    module.overrideProvider(NodesService).useClass(
      class extends NodesService {
        override async takeOut(): Promise<void> {}
      },
    ),

  'members of a dead node are not announced as gone': (module) =>
    module.overrideProvider(PresenceService).useClass(
      class extends PresenceService {
        override async takeOut(nodeId: string): Promise<readonly PresenceChange[]> {
          await super.takeOut(nodeId);
          return [];
        }
      },
    ),

  'updates of members are not announced': (module) =>
    module.overrideProvider(PresenceMembership).useFactory({
      inject: [PresenceService, TransitionOrder, ChannelNotifier, ChannelsSettings],
      factory: (...of: ConstructorParameters<typeof PresenceMembership>) =>
        new (class extends PresenceMembership {
          override async update(app: App, { name }: ChannelName, member: Member): Promise<number | undefined> {
            return of[0].update({ scope: app.id, name }, member);
          }
        })(...of),
    }),

  'updates of members are announced as of old': (module) =>
    module.overrideProvider(ChannelNotifier).useClass(
      class extends ChannelNotifier {
        override memberUpdated(...[app, channel, member]: Parameters<ChannelNotifier['memberUpdated']>) {
          return super.memberUpdated(app, channel, member, 1);
        }
      },
    ),

  'changes of members have no version': (module) =>
    module.overrideProvider(Hub).useClass(
      class extends Hub {
        override deliver({ change: _, ...event }: BrokerEvent, position: Position): void {
          super.deliver(event, position);
        }
      },
    ),

  'returning clients are sent nothing': (module) =>
    module.overrideProvider(Replay).useClass(
      class extends Replay {
        override async *missedTexts(
          _: Connection,
          __: string,
          { since }: Missed,
        ): AsyncGenerator<string, Replayed, void> {
          yield* [];
          return { to: since, last: undefined };
        }
      },
    ),

  'sessions are not continued': (module) =>
    module.overrideProvider(SessionsService).useClass(
      class extends SessionsService {
        override async open(): Promise<void> {}
      },
    ),

  'held messages are delivered although they were replayed': (module) =>
    module.overrideProvider(Hub).useClass(
      class extends Hub {
        override release(connection: Connection, channel: string): void {
          super.release(connection, channel);
        }
      },
    ),

  'a subscription is confirmed before messages reach the node': (module) =>
    module.overrideProvider(RemoteBroker).useFactory({
      inject: [RpcLink],
      factory: (link: RpcLink) => {
        const late = async (appId: string, channel: string): Promise<void> =>
          void setTimeout(() => link.notify(primaryServices.broker, 'subscribe', appId, channel), 100);
        return Object.create(new RemoteBroker(link), { subscribe: { value: late } }) as object;
      },
    }),

  'a channel is unsubscribed late': (module) =>
    module.overrideProvider(RemoteBroker).useFactory({
      inject: [RpcLink],
      factory: (link: RpcLink) => {
        const late = (appId: string, channel: string): void =>
          void setTimeout(() => link.notify(primaryServices.broker, 'unsubscribe', appId, channel), 100);
        return Object.create(new RemoteBroker(link), { unsubscribe: { value: late } }) as object;
      },
    }),

  'messages overtake each other': (module) =>
    module.overrideProvider(Inbox).useClass(
      class extends Inbox {
        override message(message: BrokerMessage, position: Position): void {
          if (position.endsWith('0')) setTimeout(() => super.message(message, position), 5);
          else super.message(message, position);
        }
      },
    ),

  'webhooks say that a replaced connection is gone': (module) =>
    module.overrideProvider(WebhooksService).useClass(
      class extends WebhooksService {
        override hold(app: App, event: HoldableActivity, { version }: Disappearance): void {
          super.hold(app, event, { version, isHeld: () => true, confirm: () => true, isBack: () => false });
        }
      },
    ),

  'webhooks are sent twice': (module) =>
    module.overrideProvider(WebhooksService).useClass(
      class extends WebhooksService {
        override emit(app: App, event: PromptActivity): void {
          super.emit(app, event);
          // A moment later: equal bodies count as one webhook that was sent again.
          setTimeout(() => super.emit(app, event), 5);
        }
      },
    ),

  'webhooks that the queue refuses are dropped': (module) =>
    module.overrideProvider(WebhooksService).useFactory({
      inject: [WebhookSender, Throttle, Listeners, Apps, ChannelsSettings, Announcements],
      factory: (sender: WebhookSender, ...others: [Throttle, Listeners, Apps, ChannelsSettings, Announcements]) => {
        const send: WebhookSender['send'] = (all) => sender.send(all).catch(() => ({ dropped: all.length }));
        return new WebhooksService(Object.create(sender, { send: { value: send } }) as WebhookSender, ...others);
      },
    }),

  'a closed connection with many channels stays on them': (module) =>
    module.overrideProvider(SubscriptionsService).useClass(
      class extends SubscriptionsService {
        override async leaveAll(connection: Connection): Promise<void> {
          if ((connection.subscriptions?.size ?? 0) < 3) await super.leaveAll(connection);
        }
      },
    ),

  'a leave that comes together with its join is lost': (module) =>
    module.overrideProvider(SubscriptionsService).useClass(
      class extends SubscriptionsService {
        private readonly joinedAt = new WeakMap<Connection, number>();
        override async subscribe(...[connection, request]: Parameters<SubscriptionsService['subscribe']>) {
          await super.subscribe(connection, request);
          this.joinedAt.set(connection, performance.now());
        }
        override async unsubscribe(connection: Connection, name: string): Promise<void> {
          if (this.joinedAt.get(connection) !== performance.now()) return super.unsubscribe(connection, name);
          connection.subscriptions?.delete(name);
        }
      },
    ),

  'a connection may open any number of channels': (module) =>
    module.overrideProvider(Budgets).useClass(
      class extends Budgets {
        override openChannel(): void {}
      },
    ),

  'a connection may send messages that are refused without end': (module) =>
    module.overrideProvider(Budgets).useClass(
      class extends Budgets {
        override refuse(_: Connection, refusal: ProtocolError): ProtocolError {
          return refusal;
        }
      },
    ),

  'client events are sent to their senders': (module) =>
    module.overrideProvider(Hub).useClass(
      class extends Hub {
        override deliver({ except: _, ...event }: BrokerEvent, position: Position): void {
          super.deliver(event, position);
        }
      },
    ),

  'missed client events are replayed to their senders': (module) =>
    module.overrideProvider(SessionsService).useClass(
      class extends SessionsService {
        override async open(connection: Connection): Promise<void> {
          await super.open(connection);
          const session = sessions.of(connection);
          if (session) session.isExcluded = () => false;
        }
      },
    ),

  'client events do not name their user': (module) =>
    module.overrideProvider(Hub).useClass(
      class extends Hub {
        override deliver({ text, ...event }: BrokerEvent, position: Position): void {
          super.deliver({ ...event, text: text.replace(/,"user_id":"\w+"}$/, '}') }, position);
        }
      },
    ),

  'client events of a connection overtake each other': (module) =>
    module.overrideProvider(ClientEvents).useClass(
      class extends ClientEvents {
        override async relay(...of: Parameters<ClientEvents['relay']>): Promise<void> {
          if (Math.random() < 0.5) return super.relay(...of);
          setTimeout(() => void super.relay(...of).catch(() => undefined), 20);
        }
      },
    ),

  'client events are not limited': (module) =>
    module.overrideProvider(ClientEvents).useClass(
      class extends ClientEvents {
        override async relay(...[connection, event]: Parameters<ClientEvents['relay']>): Promise<void> {
          clientEventRates.set(connection, new SlidingSecond(Infinity));
          await super.relay(connection, event);
        }
      },
    ),

  'client events are limited as if all connections were one': (module) =>
    module.overrideProvider(ClientEvents).useClass(
      class extends ClientEvents {
        private readonly second = new SlidingSecond(10);
        override async relay(...[connection, event]: Parameters<ClientEvents['relay']>): Promise<void> {
          clientEventRates.set(connection, this.second);
          await super.relay(connection, event);
        }
      },
    ),

  'a failover resurrects members': (module) =>
    module.overrideProvider(NodesService).useClass(
      class extends NodesService {
        override async announce(): Promise<void> {}
      },
    ),

  // As once with a Redis that hung through a failover: subscriptions were at the new master.
  'after a failover, events go to the old master for a while': (module) =>
    module.overrideProvider(RemoteBroker).useFactory({
      inject: [RpcLink],
      factory: (link: RpcLink) => {
        const broker = new RemoteBroker(link);
        const isStuck = (): boolean => link instanceof NodeLink && performance.now() < link.renewedAt + 5000;
        const publish = async (...of: Parameters<Broker['publish']>): Promise<Position> =>
          isStuck() ? '' : broker.publish(...of);
        return Object.create(broker, { publish: { value: publish } }) as object;
      },
    }),

  'what a failover changed is not told': (module) =>
    module.overrideProvider(NodesService).useClass(
      class extends NodesService {
        override announce(): Promise<void> {
          return super.announce({ silentUntil: Infinity });
        }
      },
    ),

  'members do not learn what they missed during an outage': (module) =>
    module.overrideProvider(NodesService).useClass(
      class extends NodesService {
        override async announceMissed(): Promise<void> {}
      },
    ),

  'clients are not sent back for what they missed during an outage': (module) =>
    module.overrideProvider(Inbox).useClass(
      class extends Inbox {
        override lost(): void {}
      },
    ),

  'an event is acknowledged before it is accepted': (module) =>
    module.overrideProvider(EventsService).useClass(
      class extends EventsService {
        override async trigger(...args: Parameters<EventsService['trigger']>): Promise<object> {
          setTimeout(() => void super.trigger(...args), 200);
          return {};
        }
      },
    ),
};

const byClock = <Counted extends Occupancy>(counted: Counted): Counted => ({ ...counted, version: Date.now() * 1000 });

/** Faults that only a few seeds find, which stood in Rookery once, and those that only lies show. */
export const rareFaults: Readonly<Record<string, Prepare>> = {
  'a roster is taken as it is': (module) =>
    module.overrideProvider(PresenceMembership).useClass(
      class extends PresenceMembership {
        override roster(app: App, channel: ChannelName): Promise<Roster> {
          return super.roster(app, channel, 0);
        }
      },
    ),

  'a count is read again before it is announced': (module) =>
    module.overrideProvider(SubscriptionCounts).useFactory({
      inject: [Broker, ChannelRepository, WebhooksService, Throttle],
      factory: (...of: ConstructorParameters<typeof SubscriptionCounts>) =>
        new (class extends SubscriptionCounts {
          override changed(...[app, channel, { version }]: Parameters<SubscriptionCounts['changed']>): void {
            const read = async (): Promise<void> => {
              const [count = 0] = await of[1].subscriptionCounts(app.id, [channel.name]);
              super.changed(app, channel, { count, version });
            };
            read().catch(() => undefined);
          }
        })(...of),
    }),

  'a dead node counts as taken out though that failed': (module) =>
    module.overrideProvider(NodesService).useClass(
      class extends NodesService {
        override takeOut(nodeId: string): Promise<void> {
          return super.takeOut(nodeId).catch(() => undefined);
        }
      },
    ),

  'counts are ordered by the clocks of their processes': (module) =>
    module.overrideProvider(RemoteChannelRepository).useFactory({
      inject: [RpcLink],
      factory: (link: RpcLink) => {
        const channels = new RemoteChannelRepository(link);
        const changed: Partial<ChannelRepository> = {
          occupy: async (...of) => byClock(await channels.occupy(...of)),
          announce: async (...of) => (await channels.announce(...of)).map(byClock),
          takeOut: async (...of) => (await channels.takeOut(...of)).map(byClock),
        };
        return Object.create(channels, Object.getOwnPropertyDescriptors(changed)) as object;
      },
    }),

  'webhooks say that something is gone after another node may say that it is back': (module) =>
    module.overrideProvider(WebhooksService).useClass(
      class extends WebhooksService {
        override hold(app: App, event: HoldableActivity, { version, confirm }: Disappearance): void {
          super.hold(app, event, { version, isHeld: confirm, confirm: () => true, isBack: () => false });
        }
      },
    ),

  'a connection takes the session before its client has spoken': (module) =>
    module.overrideProvider(RemoteSessionRepository).useFactory({
      inject: [RpcLink],
      factory: (link: RpcLink) => {
        const sessions = new RemoteSessionRepository(link);
        const open = async (...of: Parameters<SessionRepository['open']>): Promise<unknown> => {
          const [opened] = await Promise.all([sessions.open(...of), sessions.save(of[0], of[1], anyChange, of[2])]);
          return opened;
        };
        return Object.create(sessions, { open: { value: open } }) as object;
      },
    }),

  'a store that has lost its memory gets the old infos of members': (module) =>
    module.overrideProvider(MembersService).useClass(
      class extends MembersService {
        override onApplicationBootstrap(): void {}
      },
    ),

  'changes of members do not say what they follow': (module) =>
    module.overrideProvider(PresenceService).useClass(
      class extends PresenceService {
        override async join(...of: Parameters<PresenceService['join']>): Promise<Joined> {
          const joined = await super.join(...of);
          if (joined.outcome === 'full') return joined;
          const { previous: _, ...rest } = joined;
          return rest;
        }
        override async leave(...of: Parameters<PresenceService['leave']>): Promise<Left | undefined> {
          const { previous: _, ...left } = (await super.leave(...of)) ?? {};
          return 'userId' in left ? left : undefined;
        }
      },
    ),

  ...hostileFaults,
};
