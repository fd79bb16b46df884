// Using
export { isRookeryRoute, withRookeryRoutes } from 'rookery/common';
export * from './channels.module.js';
export { ChannelsLimits, type ChannelsOptions, ChannelsSettings } from './channels.options.js';
export * from './events/events.service.js';
export * from './events/channels.service.js';
export { UsersService } from './users/users.service.js';
export { NodesService } from './nodes/nodes.service.js';
export { ChannelsMetrics } from './metrics.js';
export { ChannelsApiError } from './channels.errors.js';
export * from './events/trigger-event.js';
// Extending
export * from './access/app.js';
export { AppLimits } from './access/app-limits.js';
export { Apps } from './access/apps.js';
export * from './access/app.repository.js';
export * from './access/signed-request.guard.js';
export { type Authenticated, SignedRequests } from './access/signed-request.js';
export * from './access/configured-app.repository.js';
export * from './broker/broker.js';
export * from './broker/in-process.broker.js';
export * from './storage/channel.repository.js';
export * from './storage/memory-channel.repository.js';
export type { SocketEnhancerTypes } from './sockets/socket-enhancers.js';
export type { Connection, SignedInUser, Subscription } from './connections/connection.js';
export type { ClientMessage } from './protocol/client-message.js';
export type { WebhookEvent } from './webhooks/channel-events.js';
export { type WebhookEventName, webhookEventNames } from './access/webhook-event-name.js';
export { WebhookSenderSettings, WebhookSettings } from './webhooks/webhook-settings.js';
