import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { proxyOf } from './proxy-of.js';

beforeEach(() => {
  vi.stubEnv('HTTPS_PROXY', 'http://user:p%40ss@proxy.example:3128');
  vi.stubEnv('HTTP_PROXY', 'https://other.example');
  vi.stubEnv(
    'NO_PROXY',
    'exact.example, .inner.example, 10.0.0.7, [fd00::1], one.example:8443 172.16.0.0/12,fd01::/16, 10.9.0.0/99,/8',
  );
});
afterEach(() => void vi.unstubAllEnvs());

const hostFor = (url: string): string | undefined => proxyOf(new URL(url))?.host;

it.each([
  ['https://api.push.apple.com', 'proxy.example:3128'],
  ['https://sub.exact.example', undefined],
  ['https://inexact.example', 'proxy.example:3128'],
  ['https://inner.example', undefined],
  ['https://172.20.3.4', undefined],
  ['https://172.32.0.1', 'proxy.example:3128'],
  ['https://[fd01::7]', undefined],
  ['https://[fe01::7]', 'proxy.example:3128'],
  ['https://10.9.0.1', 'proxy.example:3128'],
  ['https://one.example', 'proxy.example:3128'],
  ['http://hooks.example', 'other.example'],
  ['https://exact.example:8443', undefined],
  ['https://a.inner.example', undefined],
  ['https://10.0.0.7', undefined],
  ['https://[fd00::1]', undefined],
  ['https://one.example:8443', undefined],
  ['https://localhost:1', undefined],
  ['https://my.localhost', undefined],
  ['https://127.1.2.3', undefined],
  ['http://[::1]:1', undefined],
])('of %s is %s', (url, host) => expect(hostFor(url)).toBe(host));

it('is none without the variables', () => {
  for (const name of ['HTTPS_PROXY', 'HTTP_PROXY']) vi.stubEnv(name, '');
  expect(hostFor('https://api.push.apple.com')).toBeUndefined();
});

it.each(['socks5://proxy.example', 'http://', 'ftp://proxy.example'])('is refused if it is %s', (text) => {
  vi.stubEnv('HTTPS_PROXY', text);
  expect(() => hostFor('https://api.push.apple.com')).toThrow(expect.objectContaining({ code: 'PROXY_URL' }));
});
