import { createServer } from 'node:https';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ResolveAll, SafeFetch, type SafeFetchOptions } from '#common';
import { ConnectProxy, type ProxyConduct } from '../support/connect-proxy.js';
import { listen } from '../support/stand-ins/listen.js';
import { authority, localhost } from '../support/tls/index.js';
import { until } from '../support/until.js';

const open: { close(): unknown }[] = [];
let proxy: ConnectProxy;
let port: number;
beforeEach(async () => {
  proxy = await ConnectProxy.start();
  const host = await listen(createServer(localhost, (request, response) => response.end(request.headers.host)));
  port = host.port;
  open.push(host, proxy);
  vi.stubEnv('HTTPS_PROXY', proxy.url());
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const each of open.splice(0).toReversed()) await each.close();
});

function client(options: SafeFetchOptions = {}): SafeFetch {
  const fetch = new SafeFetch({ ca: authority, ...options });
  open.push(fetch);
  return fetch;
}

const answering =
  (...addresses: string[]): ResolveAll =>
  (_hostname, _options, callback) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );
const unknown: ResolveAll = (_hostname, _options, callback) =>
  callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
const silent: ResolveAll = () => {};

it.each([
  ['is public here', answering('93.184.216.34')],
  ['only the proxy knows', unknown],
  ['no server of names answers', silent],
])('reaches a name that %s through the proxy, with the certificate checked', async (_, resolve) => {
  const url = `https://hooks.push.example:${port}/`;
  expect(await client({ resolve }).request(url)).toMatchObject({ status: 200, body: `hooks.push.example:${port}` });
  expect(proxy.asked).toEqual([`hooks.push.example:${port}`]);
  await expect(client({ resolve }).request(`https://other.example:${port}/`)).rejects.toMatchObject({
    name: 'FetchFailed',
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  });
});

it.each([
  ['a name that is private here', 'intranet.push.example', answering('10.0.0.7')],
  ['a private address', '10.0.0.7', unknown],
  ['a host that is not allowed', 'other.example', answering('93.184.216.34')],
])('asks the proxy for no connection to %s', async (_, host, resolve) => {
  const fetch = client({ resolve, allowedHosts: ['*.push.example'] });
  await expect(fetch.request(`https://${host}:${port}/`)).rejects.toMatchObject({ name: 'UnsafeUrl' });
  expect(proxy.asked).toEqual([]);
});

it('asks it for private names that are allowed', async () => {
  const fetch = client({ resolve: answering('10.0.0.7'), allowPrivateNetwork: true });
  expect(await fetch.request(`https://intranet.push.example:${port}/`)).toMatchObject({ status: 200 });
});

it.each(['localhost', '127.0.0.1'])('reaches %s without it', async (host) => {
  expect(await client({ allowPrivateNetwork: true }).request(`https://${host}:${port}/`)).toMatchObject({
    status: 200,
  });
  expect(proxy.asked).toEqual([]);
});

it.each(['*', '.push.example', 'hooks.push.example', 'other.example hooks.push.example:443'])(
  'leaves it out for the hosts of NO_PROXY=%s, and still connects to public addresses only',
  async (list) => {
    vi.stubEnv('NO_PROXY', list);
    const fetch = client({ resolve: answering('127.0.0.1') });
    await expect(fetch.request('https://hooks.push.example/')).rejects.toMatchObject({ name: 'UnsafeUrl' });
    expect(proxy.asked).toEqual([]);
  },
);

it.each<[ProxyConduct, 'https' | 'http']>([
  ['garbage', 'https'],
  ['garbage in the tunnel', 'https'],
  ['garbage in the tunnel', 'http'],
  ['drop', 'https'],
  [502, 'https'],
])(
  'asks a proxy that answers with %s (%s) again after pauses that grow, and others at once',
  async (conduct, scheme) => {
    vi.stubEnv('HTTP_PROXY', proxy.url());
    const fetch = client({ resolve: unknown, allowHttp: true });
    const ask = (host: string) =>
      fetch.request(`${scheme}://${host}.push.example:${port}/`).catch((error: Error) => error);
    proxy.conduct = conduct;
    const end = performance.now() + 1000;
    for (let turn = 0; performance.now() < end; turn++) {
      expect(await ask('hooks')).toMatchObject({ name: 'FetchFailed', reason: 'network' });
      await new Promise(setImmediate);
    }
    expect(proxy.asked.length).toBeGreaterThan(1);
    expect(proxy.asked.length).toBeLessThan(5);
    await ask('other');
    expect(proxy.asked.at(-1)).toContain('other.');
    if (scheme === 'http') return;
    proxy.conduct = 'connect';
    await until(async () => !((await ask('hooks')) instanceof Error), 'it is asked again');
  },
);

it('names the fault of the proxy, and no credentials', async () => {
  proxy.credentials = 'user:password';
  vi.stubEnv('HTTPS_PROXY', proxy.url('user:wrong'));
  await expect(client({ resolve: unknown }).request(`https://hooks.push.example:${port}/secret`)).rejects.toMatchObject(
    {
      name: 'FetchFailed',
      code: 'PROXY_407',
      message: `https://hooks.push.example:${port} could not be reached (PROXY_407)`,
    },
  );
});
