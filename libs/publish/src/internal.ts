// Internal: what other packages and libs of this repository need besides the index. It promises nothing to applications.
export * from './index.js';
export { checkedPublish, maxInterests } from './publish-body.js';
export { type Clock, publishClock, steadyClock } from './publish.options.js';
// Messages to Apple, Google and browsers, and what their answers mean
export { apnsMessage } from './delivery/apns/apns-message.js';
export { apnsOutcome } from './delivery/apns/apns-outcome.js';
export { messageOf as apnsMessageOf } from './delivery/apns/apns.gateway.js';
export { apnsPushTypes } from './delivery/apns/push-type.js';
export { fcmMessage } from './delivery/fcm/fcm-message.js';
export { fcmOutcome } from './delivery/fcm/fcm-outcome.js';
export { PushGateways } from './delivery/push-gateways.js';
export { endpointRefusal, type WebPushTargets } from './delivery/web/endpoint-refusal.js';
export { webMessage } from './delivery/web/web-message.js';
export { webPushOutcome } from './delivery/web/web-push-outcome.js';
// What simulated processes share
export { wingPorts as publishWingPorts } from './wings/wings.js';
// The console, and `rookery doctor`
export { adviceOn } from './explanations.js';
export { PublishWebhookTestService } from './webhooks/publish-webhook-test.service.js';
export { type ObservedInstanceWebhook, PublishWebhookTap } from './webhooks/webhook-tap.js';
