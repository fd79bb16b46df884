// Internal, `#common`: for the other libs. Each module exports what applications need of it.
export * from './administration/hidden.js';
export * from './administration/settings-admin.js';
export { askedGauge } from './asked-gauge.js';
export * from './awaitable.js';
export {
  originalOf,
  pathText,
  bodySchemaOf,
  type JsonSchema,
  jsonSchemaOf,
  NestedOpen,
  allOf,
  rule,
  wholeRule,
  IsRequired,
  Optional,
  OrNull,
  IsText,
  IsExactText,
  IsCount,
  IsAmount,
  IsWebAddress,
  IsUnique,
  MaxBytes,
  IsAbsent,
  IsTexts,
  IsHeaders,
  Nested,
  Open,
  Without,
  IsTimestamp,
  type Given,
  settingsOf,
} from './checks/index.js';
export { type DecoratedMethod, decoratedMethods, singleInstance } from './decorated-methods.js';
export { dropOldest } from './drop-oldest.js';
export * from './glob.js';
export { GrowingBuffer } from './growing-buffer.js';
export * from './http/api-error.js';
export { PathPrefixes } from './http/path-prefixes.js';
export * from './http/body-refusal.js';
export { bootLine, portNames, counted } from './http/boot-line.js';
export * from './http/enhanced.js';
export { hasGlobalInterceptors } from './http/global-interceptors.js';
export { isRookeryPath } from './http/is-rookery-path.js';
export { isRookeryRoute, PartOfRookery } from './http/is-rookery-route.js';
export * from './http/json-body.js';
export * from './http/logged-fault.js';
export * from './http/client-address.js';
export * from './http/client-network.js';
export * from './http/current-webhook.js';
export * from './http/hosting.options.js';
export { type ForeignConnections, HttpPort } from './http/port/http-port.js';
export { idempotencyKeyOr } from './http/idempotency-key.js';
export * as describing from './http/openapi/describing.js';
export { type DescribedApi, type DescribedOperation, isServedBy } from './http/openapi/described-api.js';
export * from './http/openapi/openapi.js';
export { RouteRegistrar } from './http/route-registrar.js';
export { cursorAfter, limitIn, cursorIn } from './http/page-parameters.js';
export * from './http/path-tail.js';
export { originForm } from './http/request-target.js';
export { BodyTooLarge, messageOf, RawBody, rawBodyOf, type PlatformRequest } from './http/raw-body.js';
export { readAddress } from './http/read-address.js';
export { readBody } from './http/read-body.js';
export * from './http/refusal.js';
export { RequestBody, ValidBodyGuard } from './http/request-body.js';
export { RookeryController } from './http/rookery-controller.js';
export * from './http/route-not-found.js';
export * from './http/serve-raw.js';
export { type IsTrusted, isProxyList, proxyListRule, trustedProxies } from './http/trusted-proxies.js';
export { hashOf } from './hash.js';
export { alias, required } from './modules/aliases.js';
export { type Port, type Implementation } from './modules/bind.js';
export { replaceable, shared, type Replacements, configurable } from './modules/configurable-module.js';
export * from './modules/imported-once.js';
export * from './modules/memory-warning.js';
export * from './is-object.js';
export * from './kept.js';
export * from './labels.js';
export { listensTo } from './lifecycle/listens-to.js';
export { Listeners } from './lifecycle/listeners.js';
export * from './logged-url.js';
export {
  type Answer,
  type ResolveAll,
  isHostAmong,
  isHostPattern,
  FetchFailed,
  UnsafeUrl,
  SafeFetch,
  type SafeFetchOptions,
} from './safe-fetch/index.js';
export * from './rates/memory-request.rates.js';
export * from './rates/request.rates.js';
export { ownText } from './own-text.js';
export { RememberedAnswers } from './remembered-answers.js';
export * from './rookery-error.js';
export * from './secrets.js';
export * from './console-store/console.store.js';
export * from './console-store/memory-console.store.js';
export * from './storable.js';
export { Sweeps } from './sweeps.js';
export * from './this-node.js';
export { traced } from './tracing.js';
export { TurnLimiter } from './turn-limiter.js';
export * from './unavailable.js';
export * from './url-credentials.js';
export * from './version.js';
export * from './webhooks/counted-tries.js';
export { type DeadLetter, deadLetterOf, deadLetterPlace, isDeadLetterPlace } from './webhooks/dead-letter.js';
export { type DeadLetterPage, deadLetterPage } from './webhooks/dead-letter-page.js';
export * from './webhooks/dead-letters.service.js';
export * from './webhooks/observe-webhook.js';
export * from './webhooks/observed-webhook.js';
export * from './webhooks/tested-webhook.js';
export * from './webhooks/webhook-backlog.js';
export { type TryOutcome, WebhookClient } from './webhooks/webhook-client.js';
export { type WebhookDelivery, type WebhookRequest, webhookDelivery, jobOf } from './webhooks/webhook-delivery.js';
export * from './webhooks/webhook-buffer.js';
export { WebhookSender } from './webhooks/webhook-sender.js';
export * from './utf8-text.js';
