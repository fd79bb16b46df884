import { Injectable } from '@nestjs/common';
import { isObject } from 'rookery/common';
import type { Awaitable } from 'rookery/common';
import { disabled, notJsonObject, unauthorized } from '../channels.errors.js';
import { secretOf } from '../protocol/credentials.js';
import type { App } from './app.js';
import { Apps } from './apps.js';
import {
  parameter,
  parseQuery,
  percentDecoded,
  type Query,
  type SignedRequest,
  verifyEnvelope,
  verifySignature,
} from './request-signature.js';

/** What is known of a request whose signature is right. */
export interface Authenticated {
  readonly app: App;
  /** Those of the query, under those of the body. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

type BodyKind = 'json' | 'text';

/** Finds the app of a request and checks that it was signed with the secret of the key that it names. */
@Injectable()
export class SignedRequests {
  constructor(private readonly apps: Apps) {}

  /**
   * The key decides first (channels-wire §10.7): known, of this app; then version, time, digest and signature; then
   * whether the app is enabled; then the body is read.
   * @throws ChannelsApiError 401, 403, or 400 for a body that is not a JSON object
   */
  async authenticate(method: string, url: string, body: Buffer): Promise<Authenticated> {
    return this.check(method, url, body);
  }

  /**
   * The same, at once when the repository answers at once; it may throw at once as well.
   *
   * @param appId - the app that a path other than the API's names, if it names one
   * @param kind - what the body is: parameters in JSON, or any text
   */
  check(method: string, url: string, body: Buffer, appId?: string, kind: BodyKind = 'json'): Awaitable<Authenticated> {
    const queryAt = url.indexOf('?');
    const path = queryAt < 0 ? url : url.slice(0, queryAt);
    const rawQuery = queryAt < 0 ? '' : url.slice(queryAt + 1);
    const request = { method, path, query: parseQuery(rawQuery), body };
    const key = parameter(request.query, 'auth_key');
    if (key === undefined) throw unauthorized('Missing parameter: auth_key');
    const app = this.apps.findByKey(key);
    if (app instanceof Promise) return app.then((found) => authenticated(request, rawQuery, key, found, appId, kind));
    return authenticated(request, rawQuery, key, app, appId, kind);
  }
}

function authenticated(
  request: SignedRequest,
  rawQuery: string,
  key: string,
  app: App | undefined,
  appId: string | undefined,
  kind: BodyKind,
): Authenticated {
  const { path, body } = request;
  const secret = app && secretOf(app, key);
  if (!app || secret === undefined) throw unauthorized('Unknown auth_key');
  if (app.id !== (appIdIn(path) ?? appId ?? app.id)) throw unauthorized('Unknown auth_key for this app');
  verifyEnvelope(request, Math.floor(Date.now() / 1000));
  const query = verifySignature(request, rawQuery, secret);
  if (!app.enabled) throw disabled();
  const ofQuery = queryParameters(query);
  const ofBody = kind === 'json' ? bodyParameters(body) : {};
  // Nearly all requests have them in the body alone.
  return { app, parameters: ofQuery ? { ...ofQuery, ...ofBody } : ofBody };
}

// Before the first resource of the API: a host may have put a prefix before it, even one that looks like it.
function appIdIn(path: string): string | undefined {
  const [, id] =
    /\/apps\/([^/]+)\/(?:events|batch_events|channels|users|notifications|webhooks\/dead)(?:\/|$)/.exec(path) ?? [];
  return id === undefined ? undefined : percentDecoded(id);
}

function bodyParameters(body: Buffer): Readonly<Record<string, unknown>> {
  if (body.length === 0) return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString());
  } catch {
    throw notJsonObject();
  }
  if (!isObject(parsed)) throw notJsonObject();
  return parsed;
}

// Parameters of a POST may stand in the query too; arrays as `channels[]=a&channels[]=b` (api § Channel server API).
function queryParameters(query: Query): Readonly<Record<string, unknown>> | undefined {
  let parameters: Map<string, unknown> | undefined;
  for (const [key, value] of query) {
    if (key.startsWith('auth_') || key === 'body_md5') continue;
    parameters ??= new Map();
    if (!key.endsWith('[]')) parameters.set(key, value);
    else {
      const name = key.slice(0, -2);
      const list: unknown = parameters.get(name);
      parameters.set(name, Array.isArray(list) ? [...(list as unknown[]), value] : [value]);
    }
  }
  return parameters && Object.fromEntries(parameters);
}
