import { Inject, Injectable } from '@nestjs/common';
import { isObject, isTextOf, type Awaitable } from '#common';
import { originForm, PathPrefixes, percentDecoded } from '#http';
import { disabled, notJsonObject, notUtf8, shuttingDown, unauthorized } from '../channels.errors.js';
import { secretsOf } from '../protocol/credentials.js';
import type { App } from '../app/app.js';
import { appIdIn } from './api-path.js';
import { Apps } from './apps.js';
import {
  keyIn,
  parseQuery,
  type Query,
  type SignedRequest,
  verifyEnvelope,
  verifyQuery,
  verifySignature,
} from './request-signature.js';

/** A request with a valid signature. */
export interface Authenticated {
  readonly app: App;
  /** The parameters of the query and the body; the body wins. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

type BodyKind = 'json' | 'text';

/** Finds the app of a request and checks the signature against the secrets of the key that the request names. */
@Injectable()
export class SignedRequests {
  /** Read at the first request: hosts set their global prefix late. */
  private known: readonly string[] | undefined;
  private isClosed = false;

  constructor(
    private readonly apps: Apps,
    @Inject(PathPrefixes) private readonly prefixes: Pick<PathPrefixes, 'all'>,
  ) {}

  /** From now on, requests that change or send something are refused with 503. */
  close(): void {
    this.isClosed = true;
  }

  /**
   * Checks in this order: the key (channels-wire §10.7), which must be known and belong to this app; version, time,
   * number of parameters, digest and signature; whether the app is enabled; then the body.
   * @throws ChannelsApiError 401, 403, or 400 for too many parameters or a body that is not a JSON object in UTF-8; 503
   * once they are {@link close}d
   */
  async authenticate(method: string, url: string, body: Buffer): Promise<Authenticated> {
    return this.check(method, url, body);
  }

  /**
   * The same, but synchronous when the repository answers synchronously; then it also throws synchronously.
   *
   * @param target - the request's target: a path with its query, or an absolute URL
   * @param appId - the app in the path, for paths outside the API
   * @param kind - how to read the body: as parameters in JSON, or as plain text
   */
  check(
    method: string,
    target: string,
    body: Buffer,
    appId?: string,
    kind: BodyKind = 'json',
  ): Awaitable<Authenticated> {
    this.assertOpen(method);
    const [path, rawQuery] = partsOf(target);
    const request = { method, path, query: parseQuery(rawQuery), body };
    const key = keyIn(request.query);
    const app = this.apps.findByKey(key);
    if (app instanceof Promise) return app.then((found) => this.verify(request, rawQuery, key, found, appId, kind));
    return this.verify(request, rawQuery, key, app, appId, kind);
  }

  /**
   * Checks what can be checked without the body, in the same order: a request that is refused by its head needs no body.
   * @throws ChannelsApiError 401, 400 or 503, as {@link check} would
   */
  checkHead(method: string, target: string, appId?: string): Awaitable<void> {
    this.assertOpen(method);
    const [path, rawQuery] = partsOf(target);
    const query = parseQuery(rawQuery);
    const key = keyIn(query);
    const app = this.apps.findByKey(key);
    const verify = (found: App | undefined): void => {
      secretsFor(found, key, path, appId);
      verifyQuery(query, nowSeconds());
    };
    return app instanceof Promise ? app.then(verify) : verify(app);
  }

  private assertOpen(method: string): void {
    if (this.isClosed && method !== 'GET') throw shuttingDown();
  }

  private verify(
    request: SignedRequest,
    rawQuery: string,
    key: string,
    found: App | undefined,
    appId: string | undefined,
    kind: BodyKind,
  ): Authenticated {
    const { path, body } = request;
    const { app, secrets } = secretsFor(found, key, path, appId);
    const now = nowSeconds();
    verifyEnvelope(request, now);
    this.known ??= this.prefixes.all;
    const query = verifySignature(request, rawQuery, secrets, this.known);
    this.apps.used(app, key, now);
    if (!app.enabled) throw disabled();
    const ofQuery = queryParameters(query);
    const ofBody = kind === 'json' ? bodyParameters(body) : {};
    // Nearly all requests carry them only in the body.
    return { app, parameters: ofQuery ? { ...ofQuery, ...ofBody } : ofBody };
  }
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

function partsOf(target: string): [path: string, rawQuery: string] {
  const url = originForm(target);
  const queryAt = url.indexOf('?');
  return queryAt < 0 ? [url, ''] : [url.slice(0, queryAt), url.slice(queryAt + 1)];
}

/** @throws ChannelsApiError 401 for a key that is unknown, or of another app than the path or `appId` names */
function secretsFor(
  app: App | undefined,
  key: string,
  path: string,
  appId: string | undefined,
): { readonly app: App; readonly secrets: readonly string[] } {
  const secrets = app ? secretsOf(app, key) : [];
  if (!app || secrets.length === 0) throw unauthorized('Unknown auth_key');
  const named = appIdIn(path);
  if (app.id !== (named === undefined ? (appId ?? app.id) : percentDecoded(named)))
    throw unauthorized('Unknown auth_key for this app');
  return { app, secrets };
}

function bodyParameters(body: Buffer): Readonly<Record<string, unknown>> {
  if (body.length === 0) return {};
  const text = body.toString();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw notJsonObject();
  }
  if (!isObject(parsed)) throw notJsonObject();
  if (!isTextOf(text, body)) throw notUtf8();
  return parsed;
}

// Parameters of a POST may also be in the query, with arrays as `channels[]=a&channels[]=b` (api § Channel server API).
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
