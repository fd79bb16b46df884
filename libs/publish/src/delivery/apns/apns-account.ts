import type { ApnsCredentials } from 'rookery/push-device';
import type { PushAnswer } from '../http2/exchange.js';
import type { Http2Pool } from '../http2/pool.js';
import { reasonOf } from './apns-outcome.js';
import type { ProviderToken } from './provider-token.js';

/** One team's key at one endpoint. Apple requires separate connections for different teams. */
export interface ApnsAccount {
  readonly keyId: string;
  readonly token: ProviderToken;
  readonly connections: Http2Pool;
  /** Called when Apple answers that the key signed too many tokens. */
  readonly refusedUpdates: () => void;
  /** The connections to Apple's management of channels, opened when first needed. */
  readonly management: () => Http2Pool;
}

export const productionEndpoint = 'https://api.push.apple.com';

const managementHosts: Readonly<Record<string, string>> = {
  'api.push.apple.com': 'https://api-manage-broadcast.push.apple.com:2196',
  'api.sandbox.push.apple.com': 'https://api-manage-broadcast.sandbox.push.apple.com:2195',
  'api.development.push.apple.com': 'https://api-manage-broadcast.sandbox.push.apple.com:2195',
};

/** Where the channels of a gateway are managed: Apple has its own hosts for it, any other endpoint does both. */
export function managementEndpoint(endpoint: string): string {
  return managementHosts[new URL(endpoint).hostname] ?? endpoint;
}

/** The environment in which a channel exists: Apple's sandbox does not know those of production. */
export function environmentOf({ apns }: { readonly apns?: ApnsCredentials }): string {
  const endpoint = apns?.endpoint ?? productionEndpoint;
  return URL.canParse(endpoint) ? new URL(endpoint).host : endpoint;
}

/** Also a connection's passing error: the same token is tried again after the usual backoff. */
export const tooManyUpdates = 'TooManyProviderTokenUpdates';

/** Asks with the current provider token, and once more if Apple considers it expired. */
export async function askAuthorized(
  { token, refusedUpdates }: Pick<ApnsAccount, 'token' | 'refusedUpdates'>,
  ask: (authorization: string) => Promise<PushAnswer>,
): Promise<PushAnswer> {
  const bearer = await token.current();
  const answer = await ask(bearer);
  if (answer.status < 300) return answer;
  const reason = reasonOf(answer);
  if (reason === tooManyUpdates) refusedUpdates();
  if (reason !== 'ExpiredProviderToken') return answer;
  const renewed = await token.renewed(bearer);
  return renewed === undefined ? answer : ask(renewed);
}
