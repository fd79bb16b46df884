import {
  assert,
  asyncProperty,
  constantFrom,
  dictionary,
  nat,
  oneof,
  record,
  string,
  tuple,
  uint8Array,
} from 'fast-check';
import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ChannelsApiError } from '../channels.errors.js';
import type { KeyPair } from '../protocol/credentials.js';
import { Apps } from './apps.js';
import { ConfiguredAppRepository } from './configured-app.repository.js';
import { type Query, textToSign } from './request-signature.js';
import { SignedRequests } from './signed-request.js';

const app = { id: '3', key: 'key-3', secret: 'secret-3' };
const other = { id: '4', key: 'key-4', secret: 'secret-4' };
const disabled = { id: '5', key: 'key-5', secret: 'secret-5', enabled: false };
const expired = { key: 'expired', secret: 's', validUntil: '2001-01-01T00:00:00Z' };
const apps = [{ ...app, keys: [expired] }, other, disabled];
const requests = new SignedRequests(new Apps(new ConfiguredAppRepository({ apps })), { all: [''] });

interface Call {
  readonly method: string;
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: string;
}

const now = (): string => String(Math.floor(Date.now() / 1000));

/** The query of a call, signed by the rules of api § Authentication, written down once more. */
function signedQuery({ method, path, parameters, body }: Call, { key, secret } = app): [string, string][] {
  const digest = body === '' ? {} : { body_md5: createHash('md5').update(body).digest('hex') };
  const all = { ...parameters, auth_key: key, auth_timestamp: now(), auth_version: '1.0', ...digest };
  const lines = Object.entries(all).map(([name, value]) => [name.toLowerCase(), value] as const);
  const sorted = lines.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([name, value]) => `${name}=${value}`);
  const text = [method, path, sorted.join('&')].join('\n');
  return [...Object.entries(all), ['auth_signature', createHmac('sha256', secret).update(text).digest('hex')]];
}

const urlOf = (path: string, query: readonly (readonly [string, string])[]): string =>
  `${path}?${query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')}`;

const authenticate = (call: Call, query: readonly (readonly [string, string])[]) =>
  requests.authenticate(call.method, urlOf(call.path, query), Buffer.from(call.body));

// Keys that differ only in case would be sorted by more than the API says.
const name = string({ unit: constantFrom(...'abcdefghijklmnopqrstuvwxyz_0123456789'), minLength: 1, maxLength: 10 });
const call = record<Call>({
  method: constantFrom('GET', 'POST'),
  path: constantFrom(
    '/apps/3/events',
    '/apps/3/channels/presence-room/users',
    '/apps/3/users/a%20b/terminate_connections',
  ),
  parameters: dictionary(
    name.filter((each) => !/^(auth_|body_md5)/.test(each)),
    string({ unit: 'grapheme' }),
    { maxKeys: 5 },
  ),
  body: oneof(
    constantFrom('', '{}'),
    string({ unit: 'grapheme' }).map((text) => JSON.stringify({ text })),
  ),
});

describe('a request', () => {
  it('is accepted if it is signed correctly, in any order of parameters', async () => {
    await assert(
      asyncProperty(call, nat(), async (each, turn) => {
        const query = signedQuery(each);
        const turned = query.map((_, index) => query[(index + turn) % query.length]!);
        const { app: found, parameters } = await authenticate(each, turned);
        expect(found.id).toBe(app.id);
        expect(parameters).toMatchObject(JSON.parse(each.body || '{}') as object);
      }),
    );
  });

  it('has the signed parameters, whether a + in its query is literal or a space', async () => {
    const value = string({ unit: constantFrom('+', ' ', '%', 'é', 'a') });
    const escaped = (text: string): string => encodeURIComponent(text);
    // As a form writes it, and as URLs do; some leave the + as it is.
    const asForm = (text: string): string => escaped(text).replaceAll('%20', '+');
    const asUrl = (text: string): string => escaped(text).replaceAll('%2B', '+');
    await assert(
      asyncProperty(value, value, constantFrom(asForm, asUrl, escaped), async (info, list, write) => {
        const call = { method: 'GET', path: '/apps/3/channels', parameters: { info, 'list[]': list }, body: '' };
        const query = signedQuery(call).map((pair) => pair.map(write).join('='));
        const { parameters } = await requests.authenticate('GET', `${call.path}?${query.join('&')}`, Buffer.from(''));
        expect(parameters).toEqual({ info, list: [list] });
      }),
      { numRuns: 500 },
    );
  });

  it('is accepted with keys in any case', async () => {
    await assert(
      asyncProperty(call, async (each) => {
        const query = signedQuery(each).map(
          ([key, value]) => [/^(auth_|body_md5)/.test(key) ? key : key.toUpperCase(), value] as const,
        );
        await expect(authenticate(each, query)).resolves.toBeDefined();
      }),
    );
  });

  it('is refused if any part of it was changed after signing', async () => {
    const change = tuple(constantFrom('method', 'path', 'body', 'value', 'more', 'less', 'signature'), nat());
    await assert(
      asyncProperty(call, change, async (each, [what, at]) => {
        const query = signedQuery(each);
        const index = at % query.length;
        const [key, value] = query[index]!;
        const changed: Call = {
          ...each,
          ...(what === 'method' && { method: each.method === 'GET' ? 'POST' : 'GET' }),
          ...(what === 'path' && { path: `${each.path}x` }),
          ...(what === 'body' && { body: `${each.body} ` }),
        };
        if (what === 'value') query[index] = [key, `${value}x`];
        if (what === 'more') query.push(['another', 'x']);
        if (what === 'less') query.splice(index, 1);
        if (what === 'signature') query.splice(-1, 1, ['auth_signature', 'f'.repeat(64)]);
        await expect(authenticate(changed, query)).rejects.toMatchObject({ status: 401 });
      }),
      { numRuns: 300 },
    );
  });

  it('is refused if it was signed with the secret or for the path of another app', async () => {
    await assert(
      asyncProperty(call, async (each) => {
        await expect(authenticate(each, signedQuery(each, other))).rejects.toMatchObject({ status: 401 });
        const mixed = signedQuery(each, { ...app, secret: other.secret });
        await expect(authenticate(each, mixed)).rejects.toMatchObject({ status: 401 });
      }),
    );
  });

  it('is refused with an answer, for any bytes', async () => {
    const query = oneof(string({ unit: 'binary' }), string(), constantFrom('%', '&&==', 'auth_key=key-3&auth_key=%ff'));
    await assert(
      asyncProperty(string(), query, uint8Array(), async (path, text, body) => {
        const answer = requests.authenticate('POST', `/apps/3/${path}?${text}`, Buffer.from(body));
        await expect(answer).rejects.toBeInstanceOf(ChannelsApiError);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a request to the API', () => {
  const send = (path: string, given: Query, body: string | Buffer = '', { key, secret }: KeyPair = app) => {
    const bytes = Buffer.from(body);
    const digest = createHash('md5').update(bytes).digest('hex');
    const query: Query = [
      ...given,
      ['auth_key', key],
      ['auth_timestamp', now()],
      ['auth_version', '1.0'],
      ['body_md5', digest],
    ];
    const signature = createHmac('sha256', secret)
      .update(textToSign('POST', path, query))
      .digest('hex');
    return requests.authenticate('POST', urlOf(path, [...query, ['auth_signature', signature]]), bytes);
  };

  it.each<[number, string, string, string | Buffer, KeyPair]>([
    [401, 'Unknown auth_key', '/apps/3/events', '{}', { key: 'unknown', secret: 's' }],
    [401, 'Unknown auth_key', '/apps/3/events', '{}', { key: 'expired', secret: 's' }],
    [401, 'Unknown auth_key for this app', '/apps/4/events', '{}', app],
    [403, 'Application is disabled', '/apps/5/events', '{}', disabled],
    [400, 'The request body is not a JSON object', '/apps/3/events', '{', app],
    [400, 'The request body is not a JSON object', '/apps/3/events', '[]', app],
    [400, 'The request body is not UTF-8', '/apps/3/events', Buffer.from('{"a":"\xff"}', 'latin1'), app],
  ])('is refused with %i “%s”', async (status, message, path, body, pair) => {
    await expect(send(path, [], body, pair)).rejects.toMatchObject({ status, message });
  });

  it.each(['/apps/3/events', '/apps/3/events?a=1', '?'])('without a key is refused: %s', async (url) => {
    const refusal = { status: 401, message: 'Missing parameter: auth_key' };
    await expect(requests.authenticate('GET', url, Buffer.alloc(0))).rejects.toMatchObject(refusal);
  });

  it('may have 100 parameters, and is refused with more, once its sender is known', async () => {
    // Three or four are the API's own.
    const many = (count: number): Query => Array.from({ length: count }, (_, n) => [`a${n}`, '1'] as const);
    await expect(send('/apps/3/events', many(95))).resolves.toBeDefined();
    const tooMany = { status: 400, message: 'Too many parameters in the query: at most 100 are allowed' };
    await expect(send('/apps/3/events', many(96))).rejects.toMatchObject(tooMany);
    await expect(send('/apps/3/events', many(5000))).rejects.toMatchObject(tooMany);
    const first = (key: string) => `/apps/3/events?auth_key=${key}&auth_version=1.0${'&%'.repeat(5000)}`;
    const get = (url: string) => requests.authenticate('GET', url, Buffer.alloc(0));
    await expect(get(first('unknown'))).rejects.toMatchObject({ status: 401, message: 'Unknown auth_key' });
    await expect(get(first(app.key))).rejects.toMatchObject({ status: 401, message: 'Timestamp required' });
  });

  it('has the parameters of its query, lists among them, and of its body, which wins', async () => {
    const query: Query = [
      ['channels[]', 'a'],
      ['channels[]', 'b'],
      ['info', 'x'],
      ['name', 'of the query'],
    ];
    const { parameters } = await send('/apps/3/events', query, '{"name":"of the body"}');
    expect(parameters).toEqual({ channels: ['a', 'b'], info: 'x', name: 'of the body' });
  });

  it('is refused with 503 and Retry-After once the process takes nothing more, but for reads', async () => {
    const stopping = new SignedRequests(new Apps(new ConfiguredAppRepository({ apps })), { all: [''] });
    stopping.close();
    for (const method of ['POST', 'PUT', 'DELETE'])
      await expect(stopping.authenticate(method, '/apps/3/events', Buffer.alloc(0))).rejects.toMatchObject({
        status: 503,
        headers: { 'Retry-After': '1' },
      });
    const call = { method: 'GET', path: '/apps/3/channels', parameters: {}, body: '' };
    const read = stopping.authenticate('GET', urlOf(call.path, signedQuery(call)), Buffer.alloc(0));
    await expect(read).resolves.toMatchObject({ app: { id: '3' } });
  });
});
