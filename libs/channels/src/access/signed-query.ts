import { hash } from 'node:crypto';
import { hmacHex } from 'rookery/common';
import type { KeyPair } from '../protocol/credentials.js';
import { type Query, textToSign } from './request-signature.js';

/** A request that is to be signed. */
export interface UnsignedRequest {
  readonly method: string;
  /** As it is sent, without the query: `/stats/7`. */
  readonly path: string;
  /** The other parameters of the query, not escaped. */
  readonly query?: Readonly<Record<string, string | number>>;
  /** Exactly as it is sent. */
  readonly body?: string;
}

/**
 * The query string that signs a request, for `SignedRequestGuard` and the HTTP API, as `createSignedQueryString` of the
 * official library makes it: ``fetch(`${url}${path}?${signedQuery(app, { method: 'GET', path })}`)``. It is good for ten
 * minutes.
 */
export function signedQuery(app: KeyPair, { method, path, query, body = '' }: UnsignedRequest): string {
  const parameters = {
    ...query,
    auth_key: app.key,
    auth_timestamp: Math.floor(Date.now() / 1000),
    auth_version: '1.0',
    ...(body !== '' && { body_md5: hash('md5', body) }),
  };
  const pairs: Query = Object.entries(parameters).map(([name, value]) => [name, String(value)]);
  const signature = hmacHex(app.secret, textToSign(method, path, pairs));
  return [...pairs, ['auth_signature', signature]].map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
}
