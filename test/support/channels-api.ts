import { createHash, createHmac } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { type ChannelsServer, testApp } from './channels-server.js';
import { documentedChannels } from './documented-channels.js';

interface Credentials {
  readonly id: string;
  readonly key: string;
  readonly secret: string;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path with its query, as it goes over the wire. */
  readonly url: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

/** What a test may change of a request that would be right without it. */
export interface Signing {
  readonly app?: Credentials;
  /** Of the path, where it is not the signing app's. */
  readonly appId?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Parameters to send in place of the right ones; `undefined` leaves one out. Signed along. */
  readonly auth?: Readonly<Record<string, string | undefined>>;
  readonly signature?: string;
  readonly signedPath?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A signed request to `/apps/<id><path>`; a body that is not text is encoded as JSON. */
export function signed(method: ApiRequest['method'], path: string, body?: unknown, signing: Signing = {}): ApiRequest {
  const { app = testApp, query = {}, auth = {}, headers } = signing;
  const text =
    body === undefined ? '' : typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const parameters = Object.entries({
    ...query,
    auth_key: app.key,
    auth_timestamp: String(Math.floor(Date.now() / 1000)),
    auth_version: '1.0',
    ...(text.length > 0 ? { body_md5: createHash('md5').update(text).digest('hex') } : {}),
    ...auth,
  }).filter((each): each is [string, string] => each[1] !== undefined);
  const fullPath = `/apps/${signing.appId ?? app.id}${path}`;
  const sorted = parameters
    .map(([key, value]) => [key.toLowerCase(), value] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const toSign = [method, signing.signedPath ?? fullPath, sorted.map(([k, v]) => `${k}=${v}`).join('&')].join('\n');
  const signature = signing.signature ?? createHmac('sha256', app.secret).update(toSign).digest('hex');
  const sent = [...parameters, ['auth_signature', signature] as const];
  const url = `${fullPath}?${sent.map(([k, v]) => `${encodeURIComponent(k)}=${encodeURIComponent(v)}`).join('&')}`;
  return { method, url, ...(text.length > 0 ? { body: text } : {}), ...(headers ? { headers } : {}) };
}

export type Transport = (server: ChannelsServer, request: ApiRequest) => Promise<ApiAnswer>;

/** The two ways to the API: over a socket, and through the whole of Nest's pipeline. Both must answer alike. */
export const transports: readonly (readonly [name: string, transport: Transport])[] = [
  ['over a socket', overSocket],
  ["through Nest's pipeline", throughPipeline],
];

export function overSocket(
  { port }: Pick<ChannelsServer, 'port'>,
  { method, url, body, headers }: ApiRequest,
): Promise<ApiAnswer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path: url, agent: false };
    const length = body === undefined ? 0 : Buffer.byteLength(body);
    const types = { 'content-type': 'application/json', 'content-length': String(length) };
    const outgoing = httpRequest({ ...options, headers: headers ?? (body === undefined ? {} : types) }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const answer = { status: response.statusCode ?? 0, contentType: response.headers['content-type'], text };
        try {
          documentedChannels.check({ method, url, ...answer, type: answer.contentType });
          resolve(answer);
        } catch (error) {
          reject(error);
        }
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function throughPipeline(
  { app }: ChannelsServer,
  { method, url, body, headers }: ApiRequest,
): Promise<ApiAnswer> {
  const types = body === undefined ? {} : { 'content-type': 'application/json' };
  const payload = body === undefined ? {} : { payload: body };
  const response = await app.inject({ method, url, ...payload, headers: headers ?? types });
  const contentType = response.headers['content-type'] as string;
  documentedChannels.check({ method, url, status: response.statusCode, type: contentType, text: response.body });
  return { status: response.statusCode, contentType, text: response.body };
}
