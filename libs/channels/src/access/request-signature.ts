import { hash } from 'node:crypto';
import { hmacHex, sameSecret } from '#common';
import { percentDecoded } from '#http';
import { tooManyParameters, unauthorized } from '../channels.errors.js';
import { withoutPrefix } from './api-path.js';

/** A request with its raw bytes. */
export interface SignedRequest {
  readonly method: string;
  /** The path as sent, without the query. */
  readonly path: string;
  readonly query: Query;
  readonly body: Buffer;
}

/** A query string's parameters, decoded once, in the order sent. */
export type Query = readonly (readonly [key: string, value: string])[];

const toleranceSeconds = 600;

/** Each is decoded before its sender is known, and a request has room for thousands. */
const maxParameters = 100;

/**
 * @returns the parameters of a query string, but none after the one that makes it too long; text that cannot be decoded
 *   is kept as it is
 */
export function parseQuery(text: string, decode: (value: string) => string = percentDecoded): Query {
  const query: [string, string][] = [];
  if (text === '') return query;
  // Most queries have nothing to decode, and one look tells.
  const read = decode === percentDecoded && !text.includes('%') ? asItIs : decode;
  let equals = text.indexOf('=');
  for (let start = 0; start <= text.length && query.length <= maxParameters;) {
    const ampersand = text.indexOf('&', start);
    const end = ampersand < 0 ? text.length : ampersand;
    if (equals >= 0 && equals < start) equals = text.indexOf('=', start);
    if (equals < 0 || equals >= end) query.push([read(text.slice(start, end)), '']);
    else query.push([read(text.slice(start, equals)), read(text.slice(equals + 1, end))]);
    start = end + 1;
  }
  return query;
}

const asItIs = (text: string): string => text;

/** @returns the value of a parameter, or undefined */
export function parameter(query: Query, name: string): string | undefined {
  for (const [key, value] of query) if (key === name) return value;
  return undefined;
}

/** @throws ChannelsApiError 401 if it is missing, or 400 if there are too many parameters to find it */
export function keyIn(query: Query): string {
  const key = parameter(query, 'auth_key');
  if (key !== undefined) return key;
  assertShort(query);
  throw unauthorized('Missing parameter: auth_key');
}

function assertShort(query: Query): void {
  if (query.length > maxParameters) throw tooManyParameters(maxParameters);
}

/** The text to sign (api § Authentication): method, path and sorted parameters, unescaped, on a line each. */
export function textToSign(method: string, path: string, query: Query): string {
  return `${method}\n${path}\n${pairsInOrder(query) ?? pairsOf(sorted(query))}`;
}

/** Most clients send the parameters in the order in which they signed them. @returns undefined if not */
function pairsInOrder(query: Query): string | undefined {
  let pairs = '';
  let latest = '';
  for (const [key, value] of query) {
    if (key === 'auth_signature') continue;
    if (key < latest || key !== key.toLowerCase()) return undefined;
    latest = key;
    pairs += `${pairs === '' ? '' : '&'}${key}=${value}`;
  }
  return pairs;
}

const pairsOf = (query: Query): string => query.map(([key, value]) => `${key}=${value}`).join('&');

function sorted(query: Query): Query {
  return query
    .filter(([key]) => key !== 'auth_signature')
    .map(([key, value]) => [key.toLowerCase(), value] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/**
 * Checks what needs no body: version, time and the number of parameters (channels-wire §6.2).
 * @throws ChannelsApiError 401, or 400 for too many parameters
 */
export function verifyQuery(query: Query, nowSeconds: number): void {
  const version = parameter(query, 'auth_version');
  if (version === undefined) throw unauthorized('Version required');
  if (version !== '1.0') throw unauthorized('Version not supported');
  verifyTimestamp(parameter(query, 'auth_timestamp'), nowSeconds);
  assertShort(query);
}

/**
 * Checks everything before the signature: {@link verifyQuery}, then the body's digest.
 * @throws ChannelsApiError 401, or 400 for too many parameters
 */
export function verifyEnvelope({ query, body }: SignedRequest, nowSeconds: number): void {
  verifyQuery(query, nowSeconds);
  const digest = parameter(query, 'body_md5');
  if (digest === undefined && body.length > 0) throw unauthorized('Missing parameter: body_md5');
  // Not a secret, so no constant-time comparison: the sender of the body knows its digest.
  if (digest !== undefined && digest !== hash('md5', body))
    throw unauthorized('Invalid signature: body_md5 is not the MD5 of the request body');
}

/**
 * Checks the signature over the decoded values. Clients differ in how they sign a prefix or an escape of the path, or a
 * `+` in a query, so when the plain reading fails, the other readings are tried (channels-wire §6.2).
 * @param rawQuery the query string as sent
 * @param prefixes those under which the API is served
 * @returns the parameters as they were signed: the reading of `+` that matched applies to the request too
 * @throws ChannelsApiError 401
 */
export function verifySignature(
  request: SignedRequest,
  rawQuery: string,
  secrets: readonly string[],
  prefixes: readonly string[],
): Query {
  const given = parameter(request.query, 'auth_signature');
  if (given === undefined) throw unauthorized('Missing parameter: auth_signature');
  const text = textToSign(request.method, request.path, request.query);
  if (isSignatureOf(text, given, secrets)) return request.query;
  const signed = otherReadings(request, rawQuery, prefixes).find((other) => isSignatureOf(other.text, given, secrets));
  if (signed) return signed.query;
  throw unauthorized(
    `Invalid signature: you should have sent HmacSHA256Hex(${JSON.stringify(text)}, your_secret_key), ` +
      `but you sent ${JSON.stringify(given.slice(0, 100))}`,
  );
}

function otherReadings(
  { method, path, query }: SignedRequest,
  rawQuery: string,
  prefixes: readonly string[],
): { text: string; query: Query }[] {
  // PHP's library adds its `path` to the URL after signing.
  const paths = [path, withoutPrefix(path, prefixes)].flatMap((each) => (each ? [each, ...decodedPath(each)] : []));
  const queries = rawQuery.includes('+') ? [query, parseQuery(rawQuery, formDecoded)] : [query];
  return queries.flatMap((each) => paths.map((p) => ({ text: textToSign(method, p, each), query: each }))).slice(1);
}

/**
 * The path as clients sign it whose URLs escape it, if it has escapes. Not where the decoded path, sent as it is, names
 * something else: `a%252Fb` decodes to `a%2Fb`, and the signature of that one covers `a/b`.
 */
function decodedPath(path: string): readonly string[] {
  const decoded = percentDecoded(path);
  return decoded !== path && meaningOf(decoded) === meaningOf(path) ? [decoded] : [];
}

/** A slash separates, an escaped one does not. */
const meaningOf = (path: string): string => JSON.stringify(path.split('/').map(percentDecoded));

function isSignatureOf(text: string, given: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => sameSecret(given, hmacHex(secret, text)));
}

function verifyTimestamp(timestamp: string | undefined, nowSeconds: number): void {
  if (timestamp === undefined) throw unauthorized('Timestamp required');
  if (!/^\d{1,11}$/.test(timestamp)) throw unauthorized('Timestamp required: auth_timestamp must be in seconds');
  if (Math.abs(Number(timestamp) - nowSeconds) <= toleranceSeconds) return;
  throw unauthorized(
    `Timestamp expired: Given timestamp (${iso(Number(timestamp))}) not within ${toleranceSeconds}s ` +
      `of server time (${iso(nowSeconds)})`,
  );
}

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');

const formDecoded = (text: string): string => percentDecoded(text.replaceAll('+', ' '));
