import { hash } from 'node:crypto';
import { hmacHex } from '#common';
import type { KeyPair } from '../protocol/credentials.js';
import { type Query, textToSign } from './request-signature.js';

/** A request to sign. */
export interface UnsignedRequest {
  readonly method: string;
  /** The path as sent, without the query: `/stats/7`. */
  readonly path: string;
  /** The other parameters of the query, unescaped. */
  readonly query?: Readonly<Record<string, string | number>>;
  /** The body, exactly as sent. */
  readonly body?: string;
}

/**
 * The query string that signs a request, for `SignedRequestGuard` and the HTTP API. It equals the official library's
 * `createSignedQueryString`: ``fetch(`${url}${path}?${signedQuery(app, { method: 'GET', path })}`)``. The signature is
 * valid for ten minutes.
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
