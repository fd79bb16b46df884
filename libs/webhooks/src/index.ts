// Internal, `#webhooks`: for the other libs.
export { listensTo } from './listeners/listens-to.js';
export { Listeners } from './listeners/listeners.js';
export * from './counted-tries.js';
export { type DeadLetter, deadLetterOf, deadLetterCursor, isDeadLetterCursor } from './dead-letter.js';
export { type DeadLetterPage, deadLetterPage } from './dead-letter-page.js';
export * from './dead-letters.service.js';
export * from './observe-webhook.js';
export * from './observed-webhook.js';
export * from './tested-webhook.js';
export * from './webhook-backlog.js';
export { type TryOutcome, WebhookClient } from './webhook-client.js';
export { type WebhookDelivery, type WebhookRequest, webhookDelivery, jobOf } from './webhook-delivery.js';
export * from './webhook-buffer.js';
export { WebhookSender } from './webhook-sender.js';
