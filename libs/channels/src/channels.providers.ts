import { type Provider } from '@nestjs/common';
import { alias, importedOnce, required, ThisNode } from '#common';
import { describedApi, PathPrefixes, RouteRegistrar } from '#http';
import { Listeners } from '#webhooks';
import { PresenceService } from 'rookery/presence';
import { AppsAdmin } from './access/apps-admin.js';
import { Apps } from './access/apps.js';
import { AppRepository } from './access/app.repository.js';
import { Broker } from './broker/broker.js';
import { ChannelsSettings } from './channels.options.js';
import { ChannelsService } from './events/channels.service.js';
import { HandledEvents } from './events/handled-events.js';
import { HistoryService } from './events/history.service.js';
import { KeptBytes } from './events/kept-bytes.js';
import { EventSender } from './events/event-sender.js';
import { ChannelNotifier } from './wings/channel-notifier.js';
import { DeliveryRecords } from './wings/delivery-records.js';
import { LostTopics } from './wings/missed/lost-topics.js';
import { MissedChanges } from './wings/missed/missed-changes.js';
import { LocalOccupancy } from './wings/occupancy/local-occupancy.js';
import { SubscriptionCounts } from './wings/occupancy/subscription-counts.js';
import { PresenceMembership } from './wings/presence/presence-membership.js';
import { Replay } from './wings/sessions/replay.js';
import { SessionPings } from './wings/sessions/session-pings.js';
import { SessionsService } from './wings/sessions/sessions.service.js';
import { EventsService } from './events/events.service.js';
import { RepeatedTriggers } from './events/repeated-triggers.js';
import { TriggerLimit } from './events/trigger-limit.js';
import { type TriggerStep, TriggerSteps } from './events/trigger-step.js';
import { TriggerRelay } from './events/trigger-relay.js';
import { ChannelList } from './http/channel-list.js';
import { ChannelsController } from './http/channels.controller.js';
import { ConnectionsController } from './http/connections.controller.js';
import { MembersController } from './http/members.controller.js';
import { EventsController } from './http/events.controller.js';
import { DeadLettersController } from './http/dead-letters.controller.js';
import { signature } from './access/signed-operation.js';
import { textRefusal } from './access/text-refusal.js';
import { UsersController } from './http/users.controller.js';
import { SignedRequestGuard } from './access/signed-request.guard.js';
import { SignedRequests } from './access/signed-request.js';
import { Hub } from './hub/hub.js';
import { ChannelsLifecycle } from './lifecycle/channels-lifecycle.js';
import { lifecyclePayloads } from './lifecycle/lifecycle-events.js';
import { ActivityTap } from './lifecycle/activity-tap.js';
import { Budgets } from './connections/budgets.js';
import { ChannelsMetrics } from './metrics.js';
import { AppChanges } from './sockets/app-changes.js';
import { SilentSockets } from './sockets/silent-sockets.js';
import { ClientAddresses } from './access/client-addresses.js';
import { folded } from './wings/wings.js';
import { MembersService } from './wings/members/members.service.js';
import { ConnectionCounts } from './wings/connection-counts.js';
import { ClientShutdown } from './sockets/client-shutdown.js';
import { ConnectionsService } from './sockets/connections.service.js';
import { OpenConnections } from './sockets/open-connections.js';
import { ConnectionOwners } from './sockets/connection-owners.js';
import { Inbox } from './sockets/inbox.js';
import { HttpSocketServer } from './sockets/http-socket-server.js';
import { SocketServer } from './sockets/socket-server.js';
import { ChannelsGateway } from './sockets/channels.gateway.js';
import { ClientEventAuthorizers } from './events/client-event-authorizers.js';
import { type ClientEventStep, ClientEventSteps } from './events/client-event-step.js';
import { ClientEvents } from './events/client-events.js';
import { type FeatureMessageHandler, FeatureMessages } from './events/feature-messages.js';
import { HttpServers } from './sockets/http-servers.js';
import { MessageLoop } from './sockets/message-loop.js';
import { SocketEnhancers } from './sockets/socket-enhancers.js';
import { ChannelRepository } from './storage/channel.repository.js';
import { NodeRpc } from './broker/node-rpc.js';
import { LeftBehind } from './nodes/left-behind.js';
import { NodesService } from './nodes/nodes.service.js';
import { Throttle } from './throttle.js';
import { TransitionOrder } from './storage/transition-order.js';
import { ChannelEntry } from './subscriptions/channel-entry.js';
import { type SubscriptionPart, SubscriptionParts } from './subscriptions/subscription-part.js';
import { SessionRepository } from './storage/session.repository.js';
import { SubscriptionAuthorization } from './subscriptions/subscription-authorization.js';
import { SubscriptionsService } from './subscriptions/subscriptions.service.js';
import { UsersService } from './users/users.service.js';
import { Watchlists } from './users/watchlists.js';
import { Announcements } from './webhooks/announcements.js';
import { ChannelsDeadLetters } from './webhooks/channels-dead-letters.js';
import { WebhookTestService } from './webhooks/webhook-test.service.js';
import { WebhooksService } from './webhooks/webhooks.service.js';

/** AuthorizationModule, NotificationsModule and ConsoleModule require these. */
const aliases = [
  Broker,
  Apps,
  AppRepository,
  ChannelRepository,
  ChannelsSettings,
  SignedRequests,
  HandledEvents,
  RepeatedTriggers,
  ActivityTap,
  NodeRpc,
  OpenConnections,
  ChannelsMetrics,
  EventsService,
  ChannelsDeadLetters,
  WebhookTestService,
].map((provider) => alias(provider));

/** What hosts and other modules may inject. */
export const exported = [
  Apps,
  AppsAdmin,
  AppRepository,
  ChannelRepository,
  SessionRepository,
  Broker,
  EventsService,
  ChannelsService,
  HistoryService,
  UsersService,
  SubscriptionsService,
  MembersService,
  NodesService,
  HttpServers,
  ChannelsDeadLetters,
  WebhookTestService,
  ChannelsMetrics,
  ChannelsSettings,
  ChannelsLifecycle,
  // SignedRequestGuard needs it on a host's own routes.
  SignedRequests,
  SignedRequestGuard,
  // The server reads triggers from their connections.
  ClientAddresses,
  ...folded.exports,
  ...aliases,
];

const controllers = [
  EventsController,
  ChannelsController,
  ConnectionsController,
  MembersController,
  UsersController,
  DeadLettersController,
  ...folded.controllers,
];

/** The Channels HTTP API: api § Channel server API, and what is beyond it. */
export const channelsDescription = () =>
  describedApi({ tag: 'Channels', securitySchemes: signature }, controllers, folded.attributes);

const { parts, steps, clientEventSteps, messages } = folded;

const missing = 'ChannelsModule needs PresenceModule: add PresenceModule.forRoot() to the imports beside it';

/** Everything in the module besides its ports and settings. */
export const services: Provider[] = [
  importedOnce('ChannelsModule', 'forRoot({ apps: [one, another] })'),
  ...aliases,
  ...required({ missing, services: [PresenceService, ThisNode] }),
  PathPrefixes.of(ChannelsSettings, ChannelsSettings),
  RouteRegistrar.of(
    { module: 'ChannelsModule', controllers, refuse: textRefusal, describe: channelsDescription },
    ChannelsSettings,
  ),
  ...controllers,
  Apps,
  AppsAdmin,
  SignedRequests,
  SignedRequestGuard,
  Hub,
  TriggerLimit,
  KeptBytes,
  Throttle,
  RepeatedTriggers,
  EventSender,
  TriggerRelay,
  ...steps,
  { provide: TriggerSteps, inject: steps, useFactory: (...all: TriggerStep[]) => new TriggerSteps(all) },
  DeliveryRecords,
  ...folded.providers,
  EventsService,
  ChannelsService,
  ChannelList,
  HandledEvents,
  HistoryService,
  Budgets,
  SubscriptionsService,
  SubscriptionAuthorization,
  ChannelEntry,
  ...parts,
  {
    provide: SubscriptionParts,
    inject: parts,
    useFactory: (...all: SubscriptionPart[]) => new SubscriptionParts(all),
  },
  SubscriptionCounts,
  LocalOccupancy,
  TransitionOrder,
  ChannelNotifier,
  PresenceMembership,
  SessionPings,
  SessionsService,
  Replay,
  LostTopics,
  MissedChanges,
  NodesService,
  NodeRpc,
  ActivityTap,
  OpenConnections,
  ConnectionCounts,
  MembersService,
  UsersService,
  Watchlists,
  Listeners.of({ ...lifecyclePayloads, ...folded.listened }),
  ChannelsLifecycle,
  Announcements,
  WebhooksService,
  LeftBehind,
  ChannelsDeadLetters,
  WebhookTestService,
  ClientEventAuthorizers,
  ...clientEventSteps,
  {
    provide: ClientEventSteps,
    inject: clientEventSteps,
    useFactory: (...all: ClientEventStep[]) => new ClientEventSteps(all),
  },
  ClientEvents,
  ...messages,
  {
    provide: FeatureMessages,
    inject: messages,
    useFactory: (...all: FeatureMessageHandler[]) => new FeatureMessages(all),
  },
  ChannelsGateway,
  SocketEnhancers,
  MessageLoop,
  ChannelsMetrics,
  ClientAddresses,
  SilentSockets,
  HttpServers,
  ClientShutdown,
  ConnectionsService,
  AppChanges,
  SocketServer,
  ConnectionOwners,
  Inbox,
  HttpSocketServer,
];
