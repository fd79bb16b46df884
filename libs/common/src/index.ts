// Internal, `#common`: for the other libs. Each module exports what applications need of it.
import { warnOfOtherCopy } from './one-copy.js';

export * from './administration/hidden.js';
export * from './administration/settings-admin.js';
export { askedGauge } from './asked-gauge.js';
export * from './awaitable.js';
export { isAway } from './away.js';
export { base64urlBytes } from './base64url.js';
export {
  built,
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
  type Violation,
  violationIn,
} from './checks/index.js';
export { ConcurrencyLimiter, type OwnerSlots } from './concurrency-limiter.js';
export { type DecoratedMethod, decoratedMethods, singleInstance } from './decorated-methods.js';
export { dropOldest } from './drop-oldest.js';
export { fairLevel } from './fair-level.js';
export { FairMap } from './fair-map.js';
export * from './glob.js';
export { GrowingBuffer } from './growing-buffer.js';
export { hashOf } from './hash.js';
export { alias, type PortImplementation, required, supply, supplyAll } from './modules/aliases.js';
export { type Port, type Implementation } from './modules/bind.js';
export {
  configurable,
  defaultsOf,
  foldPorts,
  type ConfigurableModule,
  replaceable,
  tokensOf,
  type ReplaceablePort,
  type Replacements,
  shared,
} from './modules/configurable-module.js';
export { byForRoot } from './modules/by-for-root.js';
export * from './modules/imported-once.js';
export { calledBy } from './modules/uncalled-methods.js';
export * from './modules/memory-warning.js';
export * from './is-object.js';
export * from './versioned.js';
export * from './labels.js';
export * from './ledger/index.js';
export * from './logged-url.js';
export { isProxyUrl, ProxyFailed, proxyOf, tunnelTo } from './proxy/index.js';
export {
  FailurePauses,
  type FetchedAnswer,
  type ResolveAll,
  isHostAmong,
  isHostPattern,
  FetchFailed,
  UnsafeUrl,
  UnsendableRequest,
  ipv6Bits,
  isPublicAddress,
  SafeFetch,
  type SafeFetchOptions,
} from './safe-fetch/index.js';
export * from './rates/memory-request.rates.js';
export * from './rates/request.rates.js';
export { ownText } from './own-text.js';
export { pause } from './pause.js';
export { QuietCount } from './quiet-count.js';
export { QuietLog } from './quiet-log.js';
export { RememberedAnswers } from './remembered-answers.js';
export * from './rookery-error.js';
export * from './secrets.js';
export * from './console-store/console.store.js';
export * from './console-store/memory-console.store.js';
export { settledIn } from './settled-in.js';
export * from './storable.js';
export { Sweeps } from './sweeps.js';
export * from './this-node.js';
export { traced } from './tracing.js';
export * from './unavailable.js';
export * from './url-credentials.js';
export { version } from './version.js';
export { writtenJson } from './written-json.js';
export * from './utf8-text.js';

// Bundles of ES modules have no `__dirname`: the kit is a part of the application's own file there.
if (typeof __dirname === 'string') warnOfOtherCopy(__dirname);
