// Using
export { RookeryError, Unavailable } from '#common';
export { CurrentWebhook, isRookeryPath, isRookeryRoute, withRookeryRoutes } from '#http';
export * from './channels.module.js';
export { ChannelsLimits } from './app/channels-limits.js';
export { type ChannelsOptions, ChannelsSettings, WebhookSenderSettings, WebhookSettings } from './channels.options.js';
export * from './events/events.service.js';
export * from './wings/typed-events/typed-events.js';
export { EventStream } from './wings/streams/event-stream.js';
export * from './wings/streams/streams.service.js';
export type { PartSource } from './wings/streams/part-source.js';
export type { SourceOf, TextChunk, TextSource } from './wings/streams/text-source.js';
export type { StreamEnd, StreamPiece } from './protocol/stream-piece.js';
export * from './events/channels.service.js';
export { HistoryService, type PastEvent, type PastEvents } from './events/history.service.js';
export type { CheckedEvent } from './events/trigger-request.js';
export { OnSeen, type SeenActivity } from './wings/receipts/seen.activity.js';
export { type EventReceipts, type ReceiptOfUser, ReceiptsService } from './wings/receipts/receipts.service.js';
export { AskFailed, type AskedClient, ClientsService } from './wings/requests/clients.service.js';
export { MembersService } from './wings/members/members.service.js';
export { SubscriptionsService } from './subscriptions/subscriptions.service.js';
export { UsersService } from './users/users.service.js';
export { ChannelsDeadLetters } from './webhooks/channels-dead-letters.js';
export { HttpServers } from './sockets/http-servers.js';
export { NodesService } from './nodes/nodes.service.js';
export { ChannelsMetrics } from './metrics.js';
export { ChannelsApiError } from './channels.errors.js';
export * from './events/trigger-event.js';
export { ChannelsLifecycle } from './lifecycle/channels-lifecycle.js';
export {
  OnCacheMiss,
  OnChannelOccupied,
  OnChannelVacated,
  OnClientEvent,
  OnMemberAdded,
  OnMemberRemoved,
  OnUserOffline,
  OnUserOnline,
} from './lifecycle/decorators.js';
export type {
  ChannelActivity,
  ClientEventActivity,
  LifecycleEvents,
  MemberActivity,
  UserActivity,
} from './lifecycle/lifecycle-events.js';
// Extending
export {
  countOf,
  type EditableSettings,
  type Implementation,
  type Versioned,
  MemoryRequestRates,
  type RequestLimit,
  RequestRates,
  SettingsConflict,
  ThisNode,
} from '#common';
export { ChannelState, type StateRequest } from './wings/state/channel-state.js';
export { isRequestMethod, OnRequest } from './wings/requests/on-request.js';
export { RequestEndpoint } from './wings/requests/endpoints.options.js';
export { ClientEventAuthorizer, type SendingUser, type SentClientEvent } from './events/client-event-authorizer.js';
export * from './app/app.js';
export { AppLimits } from './app/app-limits.js';
export { type HistoryBounds, HistoryRule, type HistoryRuleConfig } from './app/history-rule.js';
export { Mirror } from './wings/mirror/mirror.options.js';
export { Apps } from './access/apps.js';
export * from './access/app.repository.js';
export * from './access/apps-admin.js';
export { CurrentApp, Parameters, SignedRequestGuard } from './access/signed-request.guard.js';
export { signedQuery, type UnsignedRequest } from './access/signed-query.js';
export * from './access/configured-app.repository.js';
export type { ChannelName } from './protocol/channel-name.js';
export type { ChannelParams } from '#events';
export * from './broker/broker.js';
export * from './broker/in-process.broker.js';
export * from './storage/channel.repository.js';
export * from './storage/memory-channel.repository.js';
export * from './storage/idempotency.keys.js';
export * from './storage/memory-idempotency.keys.js';
export {
  type CommittedEvent,
  type OutgoingEvent,
  type RelayClaim,
  type TriggerBacklog,
  TriggerOutbox,
} from './storage/trigger.outbox.js';
export type { PositionChange, SavedSession, SessionName } from './access/saved-session.js';
export * from './storage/session.repository.js';
export {
  type Announcement,
  type AnnouncementChange,
  AnnouncementRepository,
} from './webhooks/announcement.repository.js';
export { type NewReceipt, pageOf, ReceiptRepository, type UserReceipt } from './wings/receipts/receipt.repository.js';
export * from './wings/receipts/memory-receipt.repository.js';
export { mayPredate, type StoreAge } from './storage/session-age.js';
export { SessionSpace } from './storage/session-space.js';
export * from './storage/memory-session.repository.js';
export type { SocketEnhancerTypes } from './sockets/socket-enhancers.js';
export { type HostUser, SocketAuthorizer } from './connections/socket-authorizer.js';
export type { Connection, SignedInUser, Subscription } from './connections/connection.js';
export type { SocketMessage } from './sockets/socket-context.js';
export { type AppsByKey, type ChannelsWebhook, WebhookGuard } from './webhooks/webhook.guard.js';
export type { WebhookEvent } from './webhooks/channel-events.js';
export { type WebhookEventName, webhookEventNames } from './app/webhook-event-name.js';
