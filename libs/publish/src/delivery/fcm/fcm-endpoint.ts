import { FetchFailed, loggedUrl, type SafeFetch } from '#common';
import type { FcmCredentials } from 'rookery/push-device';
import type { PushAnswer, SharedHeaders } from '../http2/exchange.js';
import { Http2Pool, NoHttp2, type Http2PoolOptions } from '../http2/pool.js';
import { PlatformFault } from '../push.gateway.js';
import { laterAfter } from '../send-failure.js';

const google = 'https://fcm.googleapis.com';

/** Sends the messages of one project: over HTTP/2 if the host supports it, like Google's, otherwise over HTTP/1.1. */
export class FcmEndpoint {
  private readonly url: URL;
  private readonly connections: Http2Pool;
  private speaksHttp2: boolean;
  /** The headers of the last message, reused until the access token is renewed. */
  private last?: { readonly authorization: string; readonly headers: SharedHeaders };

  constructor(
    url: string,
    options: Http2PoolOptions,
    private readonly fetch: SafeFetch,
  ) {
    if (!URL.canParse(url)) throw new PlatformFault('The FCM endpoint is not a URL');
    this.url = new URL(url);
    this.connections = new Http2Pool(url, options);
    // Without TLS there is no ALPN to negotiate HTTP/2.
    this.speaksHttp2 = this.url.protocol === 'https:';
  }

  /** Throws SendLater if no answer arrives. */
  async post(body: Buffer, authorization: string): Promise<PushAnswer> {
    if (!this.speaksHttp2) return this.fetched(body, authorization);
    try {
      return await this.connections.request({ headers: this.headers(authorization), body });
    } catch (error) {
      if (!(error instanceof NoHttp2)) throw error;
      this.speaksHttp2 = false;
      return this.fetched(body, authorization);
    }
  }

  close(): void {
    this.connections.close();
  }

  private headers(authorization: string): SharedHeaders {
    if (this.last?.authorization === authorization) return this.last.headers;
    const headers: SharedHeaders = {
      ':method': 'POST',
      ':path': this.url.pathname + this.url.search,
      authorization,
      'content-type': 'application/json',
    };
    this.last = { authorization, headers };
    return headers;
  }

  private async fetched(body: Buffer, authorization: string): Promise<PushAnswer> {
    try {
      const headers = { authorization, 'content-type': 'application/json' };
      const answer = await this.fetch.request(this.url.href, { headers, body });
      return { status: answer.status, body: answer.body, retryAfter: first(answer.headers['retry-after']) };
    } catch (error) {
      if (error instanceof FetchFailed) throw laterAfter(error);
      throw new PlatformFault(`The FCM endpoint ${loggedUrl(this.url.href)} is not a URL that can be requested`);
    }
  }
}

const first = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? header[0] : header;

/** The URL of `messages:send` for the service account's project. */
export function sendUrl({ endpoint = google, serviceAccount }: FcmCredentials): string {
  return `${endpoint}/v1/projects/${encodeURIComponent(serviceAccount.project_id)}/messages:send`;
}
