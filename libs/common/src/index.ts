export * from './awaitable.js';
export * from './bind.js';
export * from './safe-fetch/index.js';
export * from './same-secret.js';
export * from './webhooks/webhook-delivery.js';
export * from './webhooks/webhook.outbox.js';
