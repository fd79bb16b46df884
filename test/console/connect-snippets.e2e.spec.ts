import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import Pusher from 'pusher';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { beamsClient } from '@rookery/client/server';
import { appSnippets, instanceSnippets } from '../../apps/console/src/settings/snippets.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { describeInstalled } from '../support/programs.js';
import { startPublishApp } from '../support/publish-app.js';
import { instance } from '../support/push-app.js';
import { joined, PusherJs } from '../support/pusher-js.js';
import { describeNode, itNode } from '../support/services.js';

const places = [
  { host: 'realtime.example.com', port: 443, tls: true },
  { host: 'realtime.example.com', port: 8443, tls: true },
  { host: '10.0.0.5', port: 6001, tls: false },
];

type Place = (typeof places)[number];

/** What stands in a snippet for the place, in the words of its SDK. */
const inApps: Readonly<Record<keyof typeof appSnippets, (place: Place) => readonly string[]>> = {
  'pusher-js': ({ host, port, tls }) => [
    `wsHost: '${host}'`,
    `${tls ? 'wssPort' : 'wsPort'}: ${port},`,
    `forceTLS: ${tls},`,
  ],
  Laravel: ({ host, port, tls }) => [
    `PUSHER_HOST=${host}\n`,
    `PUSHER_PORT=${port}\n`,
    `PUSHER_SCHEME=${tls ? 'https' : 'http'}`,
  ],
  'Node.js': ({ host, port, tls }) => [`host: '${host}'`, `port: '${port}'`, `useTLS: ${tls},`],
  PHP: ({ host, port, tls }) => [
    `'host' => '${host}'`,
    `'port' => ${port},`,
    `'scheme' => '${tls ? 'https' : 'http'}'`,
    `'useTLS' => ${tls},`,
  ],
  Python: ({ host, port, tls }) => [`host='${host}'`, `port=${port},`, `ssl=${tls ? 'True' : 'False'})`],
  Ruby: ({ host, port, tls }) => [`host: '${host}'`, `port: ${port},`, `scheme: '${tls ? 'https' : 'http'}'`],
  Go: ({ host, port, tls }) => [`Host:   "${host}:${port}"`, `Secure: ${tls},`],
  '.NET': ({ host, port, tls }) => [`HostName = "${host}"`, `Port = ${port},`, `Encrypted = ${tls},`],
};

const urlOf = ({ host, port, tls }: Place): string =>
  new URL(`${tls ? 'https' : 'http'}://${host}:${port}`).href.replace(/\/$/, '');

const withUrl = (before: string, after: string) => (place: Place) => [`${before}${urlOf(place)}${after}`];

const inInstances: Readonly<Record<keyof typeof instanceSnippets, (place: Place) => readonly string[]>> = {
  Browser: withUrl("endpointOverride: '", "'"),
  'Node.js': withUrl("url: '", "'"),
  Android: withUrl('android:value="', '/device_api/v1/"'),
  PHP: withUrl("'endpoint' => '", "'"),
  Python: ({ host, port }) => [`endpoint='${host}:${port}'`],
  Ruby: withUrl("config.endpoint = '", "'"),
  Go: withUrl('pushnotifications.WithCustomBaseURL("', '")'),
  curl: withUrl('curl ', `/publish_api/v1/instances/${instance.id}/publishes`),
};

/** Whether quotes and brackets are closed in their order, in any of the languages. */
function isClosed(code: string): boolean {
  const open: string[] = [];
  const text = code.replaceAll(/^\/\/ .*$|^# .*$|<!--.*?-->/gm, '').replaceAll(/(['"])(?:(?!\1).)*\1/g, '');
  for (const [mark] of text.matchAll(/['"[\](){}]/g)) {
    if ('[({'.includes(mark)) open.push({ '[': ']', '(': ')', '{': '}' }[mark]!);
    else if (open.pop() !== mark) return false;
  }
  return open.length === 0;
}

itNode('notices a snippet that is not closed', () => {
  for (const code of ["a('b)", 'a({)}', '[1', 'x = "']) expect([code, isClosed(code)]).toEqual([code, false]);
});

describeNode.each(places)('the snippets for $host:$port', (place) => {
  it.each(Object.keys(appSnippets) as (keyof typeof appSnippets)[])('of %s name the app and the server', (sdk) => {
    const code = appSnippets[sdk]({ id: 'the-app', key: 'the-key', ...place });
    for (const part of ['the-key', ...inApps[sdk](place)]) expect(code).toContain(part);
    // A client has the key alone.
    expect(code.includes('the-app')).toBe(sdk !== 'pusher-js');
    expect(code.includes('SECRET')).toBe(sdk !== 'pusher-js');
    expect(isClosed(code)).toBe(true);
  });

  it.each(Object.keys(instanceSnippets) as (keyof typeof instanceSnippets)[])(
    'of %s name the instance and the server',
    (sdk) => {
      const code = instanceSnippets[sdk]({ id: instance.id, ...place });
      for (const part of [instance.id, ...inInstances[sdk](place)]) expect(code).toContain(part);
      expect(code.includes('SECRET')).toBe(sdk !== 'Browser' && sdk !== 'Android');
      expect(isClosed(code)).toBe(true);
    },
  );
});

/** Runs a snippet as the code of a module that imports one thing. @returns the variable that it sets */
const run = (code: string, variable: string, name: string, imported: unknown): unknown =>
  // The snippet is this project's own.
  // oxlint-disable-next-line no-implied-eval
  (new Function(name, `${code.replace(/^import .*$/m, '')}\nreturn ${variable};`) as (given: unknown) => unknown)(
    imported,
  );

describeInstalled('curl')('the snippet of a shell', () => {
  it('publishes', async () => {
    const push = await startPublishApp();
    onTestFinished(() => push.close());
    const address = { id: instance.id, host: '127.0.0.1', port: push.port, tls: false };
    const shell = instanceSnippets.curl(address).replace('SECRET', instance.secretKey);
    const { stdout } = await promisify(execFile)('sh', ['-c', shell]);
    expect(JSON.parse(stdout)).toEqual({ publishId: expect.stringMatching(/^pubid-/) as string });
  });
});

describeNode('the snippets that JavaScript runs', () => {
  let channels: ChannelsServer;
  let push: Awaited<ReturnType<typeof startPublishApp>>;
  const at = (port: number) => ({ host: '127.0.0.1', port, tls: false });
  beforeAll(async () => {
    [channels, push] = await Promise.all([startChannels({ apps: [testApp] }), startPublishApp()]);
  });
  afterAll(() => Promise.all([channels.close(), push.close()]));

  it('connect pusher-js, which gets what the snippet of Node.js triggers', async () => {
    const address = { id: testApp.id, key: testApp.key, ...at(channels.port) };
    const client = run(appSnippets['pusher-js'](address), 'pusher', 'Pusher', PusherJs) as PusherJs;
    try {
      await joined(client, 'orders');
      const got = new Promise((resolve) => void client.channel('orders').bind('paid', resolve));
      const code = appSnippets['Node.js'](address).replace('SECRET', testApp.secret);
      await (run(code, 'pusher', 'Pusher', Pusher) as Pusher).trigger('orders', 'paid', { n: 1 });
      expect(await got).toEqual({ n: 1 });
    } finally {
      client.disconnect();
    }
  });

  it('publish from Node.js', async () => {
    const address = { id: instance.id, ...at(push.port) };
    const node = instanceSnippets['Node.js'](address).replace('SECRET', instance.secretKey);
    const beams = run(node, 'beams', 'beamsClient', beamsClient) as ReturnType<typeof beamsClient>;
    const published = await beams.publishToInterests(['hello'], { web: { notification: { title: 'Hello' } } });
    expect(published.publishId).toMatch(/^pubid-/);
  });

  it('make a client of Beams in a browser', () => {
    const made: object[] = [];
    class Client {
      constructor(options: object) {
        made.push(options);
      }
    }
    run(instanceSnippets.Browser({ id: instance.id, ...at(80) }), 'beams', 'PusherPushNotifications', { Client });
    expect(made).toEqual([{ instanceId: instance.id, endpointOverride: 'http://127.0.0.1' }]);
  });
});
