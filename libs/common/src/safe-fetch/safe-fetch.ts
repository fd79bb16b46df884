import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Agent } from 'undici';
import { AnswerCollector, TimedOut, type FetchedAnswer } from './answer.js';
import { proxyOf } from '../proxy/proxy-of.js';
import { urlCredentials } from '../url-credentials.js';
import { FailingOrigins } from './failing-origins.js';
import { guardedLookup, refusePrivate, type ResolveAll } from './guarded-lookup.js';
import { PermittedHosts } from './permitted-hosts.js';
import { proxiedConnector } from './proxied-connector.js';
import { FetchFailed, UnsafeUrl, UnsendableRequest } from './safe-fetch-errors.js';

/** The limits of a {@link SafeFetch}. */
export interface SafeFetchOptions {
  /** Whether `http:` URLs are allowed too. @default false: https only */
  readonly allowHttp?: boolean;
  /** Whether private, loopback, link-local and metadata addresses are allowed. @default false */
  readonly allowPrivateNetwork?: boolean;
  /**
   * The allowed hosts; `*.example.com` allows its subdomains. With `allowPrivateNetwork`, private addresses are allowed
   * besides. @default ['*'], every public host
   */
  readonly allowedHosts?: readonly string[];
  /** How much of an answer's body is kept, in bytes. @default 4096 */
  readonly maxAnswerBytes?: number;
  /** The timeout of a whole exchange, from the lookup to the end of the answer, in milliseconds. @default 10000 */
  readonly timeoutMs?: number;
  /** Connections kept open per origin. @default 64 */
  readonly connections?: number;
  /** PEM certificates to trust instead of Node's (including those of `NODE_EXTRA_CA_CERTS`). */
  readonly ca?: string;
  /** How names are resolved. @default `dns.lookup` */
  readonly resolve?: ResolveAll;
}

/** One request. Credentials in its URL are sent as `Authorization: Basic`. */
export interface SafeRequest {
  /** @default 'POST' */
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Overrides the client's timeout, in milliseconds. */
  readonly timeoutMs?: number;
}

/**
 * A client for URLs from outside: web push endpoints and webhooks. It allows only https, follows no redirects, keeps
 * little of an answer, has a timeout, and connects only to public addresses, checking the very address that it connects
 * to. Behind a proxy (`HTTPS_PROXY`), the proxy resolves names: only those that are known here to be private are refused.
 * A proxy that fails for an origin is asked again after a pause. Connections are kept alive and reused. `close` ends them.
 *
 * Throws {@link UnsafeUrl} when a URL is not allowed, {@link UnsendableRequest} when a header is invalid and
 * {@link FetchFailed} when no answer came; every answer, whatever its status, is returned.
 */
export class SafeFetch {
  private readonly hosts: PermittedHosts;
  private readonly failing = new FailingOrigins(isProxyFault);
  private agent?: Promise<Agent>;
  private isClosed = false;

  constructor(private readonly options: SafeFetchOptions = {}) {
    this.hosts = new PermittedHosts(options.allowedHosts, options.allowPrivateNetwork);
  }

  /** Sends one request; the class comment lists the errors. */
  async request(address: string, request: SafeRequest = {}): Promise<FetchedAnswer> {
    const url = this.permitted(address);
    return this.failing.request(url, async () => {
      try {
        return await this.exchange(await (this.agent ??= this.opened()), url, request);
      } catch (error) {
        throw failure(url, error);
      }
    });
  }

  /** Closes its connections once the requests in progress have ended; no others may follow. */
  async finish(): Promise<void> {
    await (await this.agent)?.close();
  }

  /** Requests in progress fail. */
  async close(): Promise<void> {
    this.isClosed = true;
    await (await this.agent)?.destroy();
  }

  /** The first request loads the library: an application that sends none starts without it. */
  private async opened(): Promise<Agent> {
    const { Agent, buildConnector } = await import('undici');
    const { resolve, ca, connections = 64 } = this.options;
    const { areAll, permits, refusal } = this.hosts;
    const lookup = areAll ? undefined : guardedLookup(permits, refusal, resolve);
    // Otherwise each connection would create its own context: 20 kB more, and half a millisecond.
    const secureContext = createSecureContext(ca === undefined ? {} : { ca });
    const direct = buildConnector({ ...(lookup && { lookup }), secureContext });
    const agent = new Agent({ connections, connect: proxiedConnector(direct, (host) => refusePrivate(host, lookup)) });
    // Later requests then fail.
    if (this.isClosed) void agent.destroy();
    return agent;
  }

  /** `URL` writes numeric hosts (2130706433, 0x7f.1) as dotted IPv4, so that no form of an address slips through. */
  private permitted(address: string): URL {
    if (!URL.canParse(address)) throw new UnsafeUrl('not-a-url', 'The URL is not valid');
    const url = new URL(address);
    if (url.protocol !== 'https:' && !(this.options.allowHttp && url.protocol === 'http:'))
      throw new UnsafeUrl('scheme', `${url.protocol} URLs are not permitted`);
    this.hosts.check(url.hostname);
    // Sockets look up names only, so a literal address is checked here.
    const literal = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) && !this.hosts.permits(url.hostname, literal)) throw this.hosts.refusal(url.hostname);
    return url;
  }

  private exchange(agent: Agent, url: URL, request: SafeRequest): Promise<FetchedAnswer> {
    const { maxAnswerBytes = 4096, timeoutMs = 10_000 } = this.options;
    return new Promise((resolve, reject) => {
      agent.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method: request.method ?? 'POST',
          headers: { ...urlCredentials(url).headers, ...request.headers },
          body: request.body ?? null,
        },
        new AnswerCollector(maxAnswerBytes, request.timeoutMs ?? timeoutMs, resolve, reject),
      );
    });
  }
}

/** Whether a proxy may be the cause of no answer. */
function isProxyFault(url: URL, error: Error): boolean {
  if (!(error instanceof FetchFailed) || error.reason !== 'network') return false;
  return error.code?.startsWith('PROXY_') === true || proxyOf(url) !== undefined;
}

/** Names the origin only: the path of a push endpoint is a secret, and so are credentials. */
function failure(url: URL, error: unknown): Error {
  if (error instanceof UnsafeUrl) return error;
  if (error instanceof TimedOut) return new FetchFailed('timeout', `${url.origin} did not answer in time`);
  const unsendable = unsendableText(error);
  if (unsendable !== undefined) return new UnsendableRequest(`${url.origin} was not asked: ${unsendable}`);
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return new FetchFailed('network', `${url.origin} could not be reached${code ? ` (${code})` : ''}`, code);
}

const unsendableCodes = ['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'];

/** undici names the header, not its value. */
function unsendableText(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return unsendableCodes.includes(String(error.code)) ? error.message : undefined;
}
