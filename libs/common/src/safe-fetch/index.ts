export { SafeFetch, type SafeFetchOptions, type SafeRequest } from './safe-fetch.js';
export { FailurePauses } from './failure-pauses.js';
export type { FetchedAnswer } from './answer.js';
export type { ResolveAll } from './guarded-lookup.js';
export { FetchFailed, UnsafeUrl, UnsendableRequest } from './safe-fetch-errors.js';
export { isHostAmong, isHostPattern } from './host-pattern.js';
export { ipv6Bits, isPublicAddress } from './public-address.js';
