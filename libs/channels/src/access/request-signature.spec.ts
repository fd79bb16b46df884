import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseQuery, type Query, textToSign, verifyEnvelope, verifySignature } from './request-signature.js';

const now = 1_700_000_000;

it.each<[string, Query]>([
  ['', []],
  [
    'a=1&b=2',
    [
      ['a', '1'],
      ['b', '2'],
    ],
  ],
  [
    'a&b=',
    [
      ['a', ''],
      ['b', ''],
    ],
  ],
  [
    'a&b=2',
    [
      ['a', ''],
      ['b', '2'],
    ],
  ],
  [
    'a=1=2&&c=%26',
    [
      ['a', '1=2'],
      ['', ''],
      ['c', '&'],
    ],
  ],
  [
    '=1&',
    [
      ['', '1'],
      ['', ''],
    ],
  ],
  ['a%20b=%', [['a b', '%']]],
  ['%3D=%25', [['=', '%']]],
])('the query %s is read', (text, query) => {
  expect(parseQuery(text)).toEqual(query);
});

describe('the text to sign', () => {
  it.each<[string, Query, string]>([
    [
      'keeps parameters that are in order',
      [
        ['a', '1'],
        ['b', '2'],
        ['b', '1'],
      ],
      'a=1&b=2&b=1',
    ],
    [
      'sorts parameters',
      [
        ['b', '2'],
        ['c', '3'],
        ['a', '1'],
      ],
      'a=1&b=2&c=3',
    ],
    [
      'keeps the order of equal keys',
      [
        ['b[]', '2'],
        ['b[]', '1'],
        ['a', ''],
      ],
      'a=&b[]=2&b[]=1',
    ],
    [
      'has keys in lower case',
      [
        ['A', '1'],
        ['B', '2'],
      ],
      'a=1&b=2',
    ],
    [
      'sorts by keys in lower case',
      [
        ['B', '2'],
        ['a', '1'],
      ],
      'a=1&b=2',
    ],
    [
      'omits the signature',
      [
        ['a', '1'],
        ['auth_signature', 'x'],
      ],
      'a=1',
    ],
    ['escapes nothing', [['a', 'b c&=ü']], 'a=b c&=ü'],
    ['may have no parameters', [], ''],
  ])('%s', (_, query, pairs) => {
    expect(textToSign('GET', '/apps/3/channels', query)).toBe(`GET\n/apps/3/channels\n${pairs}`);
  });
});

describe('the envelope of a request', () => {
  const body = Buffer.from('{}');
  const md5 = createHash('md5').update(body).digest('hex');
  const whole = { auth_version: '1.0', auth_timestamp: String(now), body_md5: md5 };
  const check = (change: Record<string, string | undefined>, sent = body) => {
    const all = Object.entries<string | undefined>({ ...whole, ...change });
    const query = all.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
    return () => verifyEnvelope({ method: 'POST', path: '/', query, body: sent }, now);
  };

  it.each([
    ['its time is 600 seconds ago', { auth_timestamp: String(now - 600) }, body],
    ['its time is in 600 seconds', { auth_timestamp: String(now + 600) }, body],
    ['it has neither a body nor a digest', { body_md5: undefined }, Buffer.alloc(0)],
    ['it has the digest of no body', { body_md5: 'd41d8cd98f00b204e9800998ecf8427e' }, Buffer.alloc(0)],
  ])('is accepted where %s', (_, change, sent) => {
    expect(check(change, sent)).not.toThrow();
  });

  const expired = (given: string) =>
    `Timestamp expired: Given timestamp (${given}) not within 600s of server time (2023-11-14T22:13:20Z)`;
  it.each([
    ['Version required', { auth_version: undefined }],
    ['Version not supported', { auth_version: '1' }],
    ['Timestamp required', { auth_timestamp: undefined }],
    ['Timestamp required: auth_timestamp must be in seconds', { auth_timestamp: '' }],
    ['Timestamp required: auth_timestamp must be in seconds', { auth_timestamp: `${now}.0` }],
    ['Timestamp required: auth_timestamp must be in seconds', { auth_timestamp: `-${now}` }],
    ['Timestamp required: auth_timestamp must be in seconds', { auth_timestamp: '170000000000' }],
    [expired('2023-11-14T22:03:19Z'), { auth_timestamp: String(now - 601) }],
    [expired('2023-11-14T22:23:21Z'), { auth_timestamp: String(now + 601) }],
    ['Missing parameter: body_md5', { body_md5: undefined }],
    ['Invalid signature: body_md5 is not the MD5 of the request body', { body_md5: md5.toUpperCase() }],
  ])('is refused with “%s”', (message, change) => {
    expect(check(change)).toThrow(expect.objectContaining({ status: 401, message }));
  });
});

describe('a signature', () => {
  const signatureOf = (path: string, query: string) =>
    createHmac('sha256', 'secret').update(`GET\n${path}\n${query}`).digest('hex');
  const verify = (path: string, rawQuery: string, signature: string, secrets = ['secret']) => {
    const query = [...parseQuery(rawQuery), ['auth_signature', signature] as const];
    const request = { method: 'GET', path, query, body: Buffer.alloc(0) };
    return verifySignature(request, `${rawQuery}&auth_signature=${signature}`, secrets, ['', '/ws']);
  };

  it.each([
    ['the path as sent', '/apps/3/users/a%20b', '/apps/3/users/a%20b'],
    ['the path without escapes', '/apps/3/users/a%20b', '/apps/3/users/a b'],
    ['the path without a prefix', '/ws/apps/3/users/a', '/apps/3/users/a'],
    ['the path without a prefix and escapes', '/ws/apps/3/users/a%20b', '/apps/3/users/a b'],
  ])('may cover %s', (_, sent, signed) => {
    expect(verify(sent, 'a=1', signatureOf(signed, 'a=1'))).toContainEqual(['a', '1']);
  });

  it('may be of any secret of the key', () => {
    expect(verify('/', 'a=1', signatureOf('/', 'a=1'), ['new', 'secret'])).toContainEqual(['a', '1']);
  });

  it.each([
    ['a path with a prefix of a host', '/api/apps/3/users/a', '/apps/3/users/a'],
    ['another path with an escaped slash', '/apps/3/users/a%2Fb', '/apps/3/users/a/b'],
    ['another path with an escape of an escape', '/apps/3/users/a%252Fb', '/apps/3/users/a%2Fb'],
    ['a path without its prefix, added by the sender', '/apps/3/users/a', '/ws/apps/3/users/a'],
  ])('does not cover %s', (_, sent, signed) => {
    expect(() => verify(sent, 'a=1', signatureOf(signed, 'a=1'))).toThrow('Invalid signature');
  });

  it('says which reading of a + it covers', () => {
    expect(verify('/', 'a=b+c', signatureOf('/', 'a=b c'))).toContainEqual(['a', 'b c']);
    expect(verify('/', 'a=b+c', signatureOf('/', 'a=b+c'))).toContainEqual(['a', 'b+c']);
  });

  it('is required, and shown up to 100 characters where it is wrong', () => {
    const request = { method: 'GET', path: '/', query: [['a', '1']] as const, body: Buffer.alloc(0) };
    expect(() => verifySignature(request, 'a=1', ['secret'], [])).toThrow('Missing parameter: auth_signature');
    expect(() => verify('/', 'a=1', 'x'.repeat(101))).toThrow(
      `HmacSHA256Hex("GET\\n/\\na=1", your_secret_key), but you sent "${'x'.repeat(100)}"`,
    );
  });
});
