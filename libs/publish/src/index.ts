// Using
export { RookeryError, Unavailable } from '#common';
export { CurrentWebhook, isRookeryPath, isRookeryRoute, withRookeryRoutes } from '#http';
export { PublishModule, type PublishPorts } from './publish.module.js';
export * from './publish.js';
export { InterestsPublish, UsersPublish } from './publish-body.js';
export * from './payloads.js';
export { knownPushServices, PublishConcurrency, type PublishOptions, PublishSettings } from './publish.options.js';
export * from './publish.service.js';
export * from './publish-status.js';
export { type ChannelOptions, LiveActivityChannels } from './wings/live-activities/live-activity-channels.js';
export { type DeviceRemoved, OnDeviceRemoved } from './lifecycle/on-device-removed.js';
export { OnPublishFinished, type PublishFinished } from './lifecycle/on-publish-finished.js';
export { type PublishWebhook, PublishWebhookGuard } from './webhooks/publish-webhook.guard.js';
export { PublishDeadLetters } from './webhooks/publish-dead-letters.js';
export { PublishMetrics } from './metrics.js';
// Extending
export { countOf, type Implementation, MemoryRequestRates, type RequestLimit, RequestRates } from '#common';
export * from './delivery/push.gateway.js';
export * from './delivery/broadcast-channels.js';
export * from './wings/live-activities/live-activity.repository.js';
export { ApnsGateway, type ApnsGatewayOptions } from './delivery/apns/apns.gateway.js';
export { FcmGateway, type FcmGatewayOptions } from './delivery/fcm/fcm.gateway.js';
export { WebPushGateway, type WebPushGatewayOptions } from './delivery/web/web-push.gateway.js';
export type {
  DeviceOutcome,
  NewOutcomes,
  OutcomePage,
  OutcomeQuery,
  ReportedOutcome,
  ReportedOutcomes,
} from './outbox/device-outcome.js';
export * from './outbox/partition.js';
export * from './outbox/publish.outbox.js';
export * from './outbox/publish-jobs.js';
export * from './outbox/device-report.js';
// Testing
export * from './outbox/memory-publish.outbox.js';
export * from './wings/live-activities/memory-live-activity.repository.js';
