// Using
export { RookeryError, Unavailable } from '#common';
export { CurrentWebhook, isRookeryPath, isRookeryRoute, withRookeryRoutes } from '#http';
export * from './publish.module.js';
export * from './publish.js';
export * from './publish-body.js';
export * from './payloads.js';
export * from './publish.options.js';
export * from './publish.service.js';
export * from './publish-status.js';
export { endpointRefusal, type WebPushTargets } from './delivery/web/endpoint-refusal.js';
export { adviceOn } from './explanations.js';
export { type ChannelOptions, LiveActivityChannels } from './live-activities/live-activity-channels.js';
export { type DeviceRemoved, OnDeviceRemoved } from './lifecycle/on-device-removed.js';
export { OnPublishFinished, type PublishFinished } from './lifecycle/on-publish-finished.js';
export { type PublishWebhook, PublishWebhookGuard } from './webhooks/publish-webhook.guard.js';
export { PublishDeadLetters } from './webhooks/publish-dead-letters.js';
export { PublishWebhookTestService } from './webhooks/publish-webhook-test.service.js';
export { type ObservedInstanceWebhook, PublishWebhookTap } from './webhooks/webhook-tap.js';
export { PublishMetrics } from './metrics.js';
// Extending
export { countOf, type Implementation, MemoryRequestRates, type RequestLimit, RequestRates } from '#common';
export * from './delivery/push.gateway.js';
export * from './delivery/broadcast-channels.js';
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
export { apnsMessage } from './delivery/apns/apns-message.js';
export { broadcastMessage } from './delivery/apns/broadcast-message.js';
export { apnsOutcome } from './delivery/apns/apns-outcome.js';
export { fcmMessage } from './delivery/fcm/fcm-message.js';
export { fcmOutcome } from './delivery/fcm/fcm-outcome.js';
export { webMessage } from './delivery/web/web-message.js';
export { webPushOutcome } from './delivery/web/web-push-outcome.js';
export { PushGateways } from './delivery/push-gateways.js';
export * from './outbox/memory-publish.outbox.js';
