import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { ConfiguredAppRepository, signedQuery } from 'rookery/channels';
import { Apps } from '../../../libs/channels/src/access/apps.js';
import { SignedRequests } from '../../../libs/channels/src/access/signed-request.js';
import { ChannelsApiError } from '../../../libs/channels/src/channels.errors.js';
import type { Target } from '../target.js';

const app = { id: '3', key: 'key', secret: '7ad3773142a6692b' };
const requests = new SignedRequests(new Apps(new ConfiguredAppRepository({ apps: [app] })), { all: ['', '/ws'] });

/**
 * The first line is the target, with `SIGNED` where a valid signature may be put, or `BARE` for one without the prefix;
 * the rest is the body.
 */
function requestOf(input: Buffer): { url: string; body: Buffer } {
  const line = input.indexOf('\n');
  const [target, body] = line < 0 ? [input, Buffer.alloc(0)] : [input.subarray(0, line), input.subarray(line + 1)];
  const text = target.toString('latin1');
  const path = text.split('?', 1)[0]!;
  const signed = (by: string) => () => signedQuery(app, { method: 'POST', path: by, body: body.toString() });
  const url = text.replace('SIGNED', signed(path)).replace('BARE', signed(path.replace('/ws', '')));
  return { url, body };
}

/** Whether a request is signed, by a straight reading of the specification. */
function isSigned(url: string, body: Buffer): boolean {
  const at = url.indexOf('?');
  const [path, query] = at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
  const readings = [query, query.replaceAll('+', ' ')].map((each) => each.split('&').map(pairOf));
  return readings.some((pairs) => {
    const given = pairs.find(([name]) => name === 'auth_signature')?.[1];
    const digest = pairs.find(([name]) => name === 'body_md5')?.[1];
    if (body.length > 0 && digest !== createHash('md5').update(body).digest('hex')) return false;
    const signed = pairs
      .filter(([name]) => name !== 'auth_signature')
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    const text = signed.map(([name, value]) => `${name}=${value}`).join('&');
    return [path, ...barePaths(path)]
      .flatMap((each) => [each, ...decodedPaths(each)])
      .some((each) => createHmac('sha256', app.secret).update(`POST\n${each}\n${text}`).digest('hex') === given);
  });
}

/** The path without the prefix, if it is one of the API. */
const barePaths = (path: string): string[] =>
  /^\/ws\/apps\/[^/]+\/(events|batch_events|channels|users|notifications|webhooks\/dead)(\/|$)/.test(path)
    ? [path.slice('/ws'.length)]
    : [];

/** The decoded path, unless it would be decoded again, or has more segments. */
function decodedPaths(path: string): string[] {
  const plain = decoded(path);
  const isSame =
    plain.split('/').length === path.split('/').length && plain.split('/').every((each) => decoded(each) === each);
  return isSame ? [plain] : [];
}

function pairOf(text: string): readonly [string, string] {
  const [name = '', ...value] = text.split('=');
  return [decoded(name), decoded(value.join('='))];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Signed requests: accepted only with a signature, by an independent check of it, and refused with a 4xx. */
export const signatures = (): Target => ({
  name: 'signatures',
  seeds: [
    '/apps/3/events?SIGNED\n{"name":"a","channel":"b","data":"c"}',
    '/apps/3/channels?filter_by_prefix=a%20b&SIGNED',
    '/apps/3/events?SIGNED&channels[]=a&channels[]=b&info=a+b\n{}',
    '/apps/3/users/a%252fb/terminate_connections?SIGNED\n{}',
    '/apps/4/events?auth_key=key&auth_timestamp=1&auth_version=1.0&auth_signature=x&body_md5=y\n[]',
    '/ws/apps/3/channels/a/events?SIGNED\n{}',
    '/ws/apps/3/users/a%20b/terminate_connections?BARE\n{}',
    '/apps/%33/users/a%2fb/terminate_connections?SIGNED\n{"__proto__":1}',
  ],
  run(input) {
    const { url, body } = requestOf(input);
    try {
      const authenticated = requests.check('POST', url, body);
      assert.ok(!(authenticated instanceof Promise) && authenticated.app.id === app.id);
      assert.equal(Object.getPrototypeOf(authenticated.parameters), Object.prototype);
    } catch (error) {
      if (!(error instanceof ChannelsApiError)) throw error;
      assert.ok([400, 401].includes(error.status), `status ${error.status}`);
      assert.equal(error.message.includes(app.secret), url.includes(app.secret) || body.includes(app.secret));
      // The body is looked at behind the signature.
      if (error.status === 401) return;
    }
    assert.ok(isSigned(url, body), 'accepted without a signature');
  },
});
