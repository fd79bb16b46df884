import PushNotifications from '@pusher/push-notifications-server';
import Echo from 'laravel-echo';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as rookeryConformance from '@rookery/conformance';
import Pusher from 'pusher';
import { rolldown } from 'rolldown';
import { AuthorizationModule, type AuthorizationOptions } from 'rookery/authorization';
import { ChannelsModule } from 'rookery/channels';
import * as rookeryClient from '@rookery/client';
import { PresenceModule } from 'rookery/presence';
import * as rookeryServer from '@rookery/client/server';
import { loadEnv } from 'vite';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startAuthEndpoint } from '../support/auth-endpoint.js';
import { Channels, Orders, Users } from '../support/authorizing-host.js';
import { deliver, subscribeAtStandIn } from '../support/browser-push.js';
import { testApp } from '../support/channels-server.js';
import { describeChromium, startChromium } from '../support/chromium.js';
import { isCompared } from '../support/compared-pages.js';
import { changed, type DocBlock, docBlocks } from '../support/doc-blocks.js';
import { createHost, listen } from '../support/embedding-host.js';
import { startNarrowProxy } from '../support/narrow-proxy.js';
import { instance } from '../support/push-app.js';
import { joined, PusherJs } from '../support/pusher-js.js';
import { pusherOfReactNative } from '../support/pusher-of-react-native.js';
import { filled, runBlock } from '../support/run-block.js';
import { buildModules, buildServer, ServerProcess } from '../support/server-process.js';
import { type StandInFcm, standInFcm, type StandInWebPush, standInWebPush } from '../support/stand-ins/index.js';
import { itNode } from '../support/services.js';
import { until } from '../support/until.js';

// The JavaScript of the pages that is not taken from files which tests run: each block is run here, as its reader
// would, against servers as they are packed.

vi.setConfig({ testTimeout: 120_000 });

const root = join(import.meta.dirname, '../..');
const all = docBlocks(root);

const isShown = (block: DocBlock): boolean =>
  ['js', 'javascript', 'diff'].includes(block.language) && !isCompared(block);

/** By page and the number on it, such as `README.md 1`. */
const blocks = new Map<string, DocBlock>();
for (const block of all.filter(isShown)) {
  let number = 1;
  while (blocks.has(`${block.page} ${number}`)) number++;
  const code = block.language === 'diff' ? changed(block.code) : block.code;
  blocks.set(`${block.page} ${number}`, { ...block, code });
}

const told: string[] = [];

/** What the reader of some blocks sees. */
function story(
  names: readonly string[],
  does: string,
  tell: (...code: DocBlock[]) => Promise<void>,
  run: typeof it | typeof it.skip = itNode,
): void {
  told.push(...names);
  run(`${does} (${names.join(', ')})`, () => tell(...names.map((name) => blocks.get(name)!)));
}

const folder = mkdtempSync(join(tmpdir(), 'rookery-javascript-'));
let google: StandInFcm;
let vendor: StandInWebPush;
/** A server without configuration, and one with an app, an instance and notifications. */
let plain: ServerProcess;
let server: ServerProcess;
let pusher: Pusher;

beforeAll(async () => {
  await Promise.all([buildServer(), buildModules()]);
  [google, vendor] = [await standInFcm(), await standInWebPush()];
  const settings = {
    apps: [{ ...testApp, clientEvents: true, history: [{ channels: 'orders' }] }],
    // Clients are not asked what they have: a session is sent everything again.
    channels: { sessions: { pingMs: 600_000 } },
    instances: [{ ...instance, fcm: google.credentials, web: vendor.credentials }],
    notifications: [{ app: testApp.id, instance: instance.id, pushAfterSeconds: 600 }],
  };
  const file = join(folder, 'rookery.json');
  writeFileSync(file, JSON.stringify(settings));
  const database = (name: string) => ({ DATABASE_URL: `sqlite:${join(folder, name)}` });
  plain = await ServerProcess.start(database('plain.db'));
  server = await ServerProcess.start({ ...database('own.db'), CONFIG_FILE: file, ALLOW_PRIVATE_NETWORK: 'true' });
  pusher = new Pusher({ appId: testApp.id, ...testApp, host: '127.0.0.1', port: String(server.port) });
}, 240_000);
afterAll(async () => {
  for (const each of [plain, server, google, vendor])
    await (each instanceof ServerProcess ? each.kill() : each?.close());
  rmSync(folder, { recursive: true });
});

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).toReversed()) await end();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** The same client, which goes when its story ends. */
function leaving<Client extends { disconnect(): unknown }>(client: Client): Client {
  ended.push(() => client.disconnect());
  return client;
}

/** Where a client finds a server; without TLS. */
const at = (port: number) => ({
  wsHost: '127.0.0.1',
  wsPort: port,
  forceTLS: false,
  cluster: 'self',
  enabledTransports: ['ws' as const],
});

const signing = {
  channelAuthorization: {
    customHandler: ({ socketId, channelName }: any, callback: any) =>
      callback(null, pusher.authorizeChannel(socketId, channelName)),
  },
};

/** What comes to be heard. */
function listener<Heard = any>(): { readonly heard: Heard[]; readonly hear: (value: Heard) => void } {
  const heard: Heard[] = [];
  return { heard, hear: (value) => void heard.push(value) };
}
const untilHeard = (heard: readonly unknown[], count = 1) => until(() => heard.length >= count, `${count} have come`);

/** Makes a call of the push APIs; publishing needs the instance's key. */
async function call(method: string, path: string, body?: object, bearer = instance.secretKey): Promise<any> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${bearer}` };
  const [api, rest] = [path.slice(0, path.indexOf('/')), path.slice(path.indexOf('/'))];
  const url = `${server.url}/${api}/v1/instances/${instance.id}${rest}`;
  const answer = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  expect(answer.status).toBe(200);
  return JSON.parse((await answer.text()) || '{}');
}
const ofInstance = { instanceId: instance.id, secretKey: instance.secretKey };

for (const page of ['README.md', 'docs/index.md'])
  story([`${page} 1`, `${page} 2`], 'a page hears what a server triggers', async (inPage, onServer) => {
    const { heard, hear } = listener();
    const instead = { '6001': String(plain.port) };
    const scope = { Pusher: PusherJs, console: { log: hear } };
    const client = leaving((await runBlock(inPage, { scope, instead, wanted: ['pusher'] })).pusher);
    await until(() => client.channel('my-channel').subscribed, 'the page has subscribed');
    await runBlock(onServer, { scope: { Pusher }, instead });
    await untilHeard(heard);
    expect(heard).toEqual([{ hello: 'world' }]);
  });

story(['apps/server/README.md 1'], 'a page hears what a server triggers', async (onServer) => {
  const { heard, hear } = listener();
  const channel = await joined(leaving(new PusherJs('app-key', at(plain.port))), 'my-channel');
  channel.bind('my-event', hear);
  await runBlock(onServer, { scope: { Pusher }, instead: { '6001': String(plain.port) } });
  await untilHeard(heard);
  expect(heard).toEqual([{ hello: 'world' }]);
});

story(['README.md 3'], 'a device with the interest gets a push', async (block) => {
  const { id } = await call('POST', 'device_api/devices/fcm', { token: 'phone' });
  await call('PUT', `device_api/devices/fcm/${id}/interests`, { interests: ['hello'] });
  await runBlock(block, { scope: { PushNotifications, ...ofInstance }, instead: { '6001': String(server.port) } });
  await untilHeard(google.received);
  const notification = { title: 'Hello', body: 'world' };
  expect(google.received[0]).toMatchObject({ token: 'phone', message: { notification } });
});

/** An application with users, orders and rooms. */
async function authorizingHost(options: AuthorizationOptions = {}): Promise<{ port: number; url: string }> {
  const imports = [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [testApp] }),
    AuthorizationModule.forRoot(options),
  ];
  const { app } = await createHost({ imports, providers: [Orders, Channels, Users] });
  ended.push(() => app.close());
  return listen(app);
}

story(['docs/authorization.md 1'], 'a page asks for many channels in one call', async (block) => {
  const { port, url } = await authorizingHost();
  // In a page, paths are those of where it comes from, and cookies go along.
  const { fetch } = globalThis;
  const calls = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation((path, init) => fetch(new URL(path, url), { ...init, headers: { cookie: 'session=alice' } }));
  const scope = { Pusher: PusherJs, key: testApp.key, host: at(port) };
  const modules = { '@rookery/client': rookeryClient };
  const instead = { "cluster: 'self', wsHost": '...host' };
  const client = leaving((await runBlock(block, { scope, modules, instead, wanted: ['pusher'] })).pusher);
  const joining = ['private-orders.7', 'presence-room.kitchen', 'private-orders.1001'].map((name) =>
    joined(client, name),
  );
  expect(await Promise.allSettled(joining)).toMatchObject([
    { status: 'fulfilled' },
    { status: 'fulfilled' },
    { status: 'rejected', reason: { error: expect.stringContaining('Not authorized') } },
  ]);
  expect(calls).toHaveBeenCalledTimes(1);
});

story(['docs/authorization.md 2'], 'a client is authorized on its socket', async (block) => {
  const { port } = await authorizingHost({ authorizeOnSubscribe: true });
  // A browser's socket has the cookies of the page.
  vi.spyOn((PusherJs as any).Runtime, 'createWebSocket').mockImplementation(
    (url) => new WebSocket(url as string, { headers: { cookie: 'session=alice' } }),
  );
  const scope = { Pusher: PusherJs, key: testApp.key, host: at(port) };
  const modules = { '@rookery/client': rookeryClient };
  const client = leaving(
    (await runBlock(block, { scope, modules, instead: { '…': '...host' }, wanted: ['pusher'] })).pusher,
  );
  const room = await joined(client, 'presence-room.kitchen');
  expect(room.members.me).toEqual({ id: 'alice', info: { name: 'Alice' } });
  await expect(joined(client, 'private-orders.1001')).rejects.toMatchObject({ status: 403 });
});

/** For a block that makes a client and gives it no name. */
const asClient = { around: (code: string) => `const client = ${code}`, wanted: ['client'] };

story(['docs/channels.md 1'], 'a client connects to the address that it is given', async (block) => {
  const instead = { 'example.com': '127.0.0.1', ' 80,': ` ${server.port},`, 'forceTLS: true': 'forceTLS: false' };
  const { client } = await runBlock(block, { scope: { Pusher: PusherJs, key: testApp.key }, instead, ...asClient });
  const { heard, hear } = listener();
  (await joined(leaving(client), 'news')).bind('headline', hear);
  await pusher.trigger('news', 'headline', 'hi');
  await untilHeard(heard, 1);
  expect(heard).toEqual(['hi']);
});

story(['docs/channels.md 2'], 'a client gets through where WebSockets are broken', async (block) => {
  const proxy = await startNarrowProxy(server.port);
  ended.push(() => proxy.close());
  const throughPort = async (port: number): Promise<PusherJs> => {
    const instead = { 'example.com': '127.0.0.1', ' 80,': ` ${port},`, 'forceTLS: true': 'forceTLS: false' };
    const scope = { Pusher: PusherJs, key: testApp.key };
    return leaving((await runBlock(block, { scope, instead, ...asClient })).client);
  };
  const { heard, hear } = listener();
  const clients = [await throughPort(server.port), await throughPort(proxy.port)];
  for (const client of clients) (await joined(client, 'news')).bind('headline', hear);
  const transports = clients.map((client) => client.connection.connection.transport.name);
  expect(transports).toEqual(['ws', expect.stringMatching(/^xhr_/)]);
  await pusher.trigger('news', 'headline', 'hi');
  await untilHeard(heard, 2);
  expect(heard).toEqual(['hi', 'hi']);
});

/** What a client hears that loses its connection twice, while events are triggered. */
async function heardWithGaps(client: PusherJs): Promise<string[]> {
  const { heard, hear } = listener<string>();
  (await joined(client, 'orders')).bind('placed', hear);
  const base = `${Date.now()}`;
  const trigger = (n: number) => pusher.trigger('orders', 'placed', `${base} ${n}`);
  const hears = (n: number) => until(() => heard.includes(`${base} ${n}`), `${n} has come`);
  await trigger(1);
  await hears(1);
  for (const n of [2, 3]) {
    client.disconnect();
    await trigger(n);
    client.connect();
    await hears(n);
  }
  return heard.map((each) => each.split(' ')[1]!);
}

story(['docs/channels.md 3'], 'a client hears what it missed', async (block) => {
  const scope = { Pusher: PusherJs, key: testApp.key, wsHost: '127.0.0.1', others: at(server.port) };
  const modules = { '@rookery/client': rookeryClient };
  const run = await runBlock(block, { scope, modules, instead: { '…': '...others' }, wanted: ['pusher'] });
  expect([...new Set(await heardWithGaps(leaving(run.pusher)))]).toEqual(['1', '2', '3']);
});

story(['docs/channels.md 4'], 'a client hears each event once', async (block) => {
  const scope = { Pusher: PusherJs, key: testApp.key, wsHost: '127.0.0.1', others: at(server.port) };
  const modules = { '@rookery/client': rookeryClient };
  const run = await runBlock(block, { scope, modules, instead: { '…': '...others' }, wanted: ['pusher'] });
  expect(await heardWithGaps(leaving(run.pusher))).toEqual(['1', '2', '3']);
});

story(['apps/conformance/README.md 1'], 'a program judges a server', async (block) => {
  const { heard: printed, hear: log } = listener<string>();
  const { key, secret } = testApp;
  const instead = { 'http://127.0.0.1:8080': server.url, "appId: '1'": `appId: '${testApp.id}'` };
  const more = { "key: 'k'": `key: '${key}'`, "secret: 's'": `secret: '${secret}'` };
  const modules = { '@rookery/conformance': rookeryConformance };
  await runBlock(block, { scope: { console: { log } }, modules, instead: { ...instead, ...more } });
  expect(printed).toEqual([expect.stringMatching(/^users +[1-9]/m)]);
});

story(['libs/sdk/README.md 1', 'libs/sdk/README.md 2'], 'a page hears an edge function', async (inPage, onServer) => {
  const { heard, hear: log } = listener();
  const ofApp = { 'app-key': testApp.key, '6001': String(server.port) };
  const modules = { 'pusher-js': PusherJs, '@rookery/client': rookeryClient, '@rookery/client/server': rookeryServer };
  const page = { scope: { console: { log } }, modules, instead: ofApp, wanted: ['pusher'] };
  const client = leaving((await runBlock(inPage, page)).pusher);
  await until(() => client.channel('orders').subscribed, 'the page has subscribed');
  const instead = { ...ofApp, 'app-id': testApp.id, 'app-secret': testApp.secret };
  await runBlock(onServer, { modules, instead });
  await untilHeard(heard);
  expect(heard).toEqual([{ id: 7 }]);
});

story(['docs/edge.md 1'], 'clients and devices get what a server without Node sends', async (block) => {
  const { heard, hear } = listener();
  const client = leaving(new PusherJs(testApp.key, { ...at(server.port), ...signing }));
  (await joined(client, 'private-orders.7')).bind('shipped', hear);
  const { token } = vendor.subscribe('edge');
  const { id } = await call('POST', 'device_api/devices/web', { token });
  const alice = new PushNotifications(ofInstance).generateToken('alice').token;
  await call('PUT', `device_api/devices/web/${id}/user`, undefined, alice);
  const scope = { appId: testApp.id, key: testApp.key, secret: testApp.secret, ...ofInstance };
  const instead = { 'https://push.example.com': server.url };
  await runBlock(block, { scope, modules: { '@rookery/client/server': rookeryServer }, instead });
  const pushed = () => vendor.received.filter((each) => each.token === token);
  await until(() => heard.length > 0 && pushed().length > 0, 'both have come');
  expect(heard).toEqual([{ id: 7 }]);
  expect(pushed()).toMatchObject([{ payload: { notification: { title: 'On its way' } } }]);
});

story(
  ['docs/migrating.md 1', 'docs/migrating.md 2'],
  'connects moved servers and clients',
  async (onServer, inPage) => {
    const { key, secret } = testApp;
    const here = `'127.0.0.1'`;
    const { client } = await runBlock(inPage, {
      scope: { Pusher: PusherJs, key },
      instead: {
        "'realtime.example.com'": here,
        'forceTLS: true': `forceTLS: false, wsPort: ${server.port}, httpPort: ${server.port}`,
      },
      ...asClient,
    });
    const { heard, hear } = listener();
    (await joined(leaving(client), 'news')).bind('headline', hear);
    const moved = await runBlock(onServer, {
      scope: { Pusher, appId: testApp.id, key, secret },
      instead: { "'realtime.example.com'": `${here}, port: '${server.port}'`, 'useTLS: true': 'useTLS: false' },
      ...asClient,
    });
    await moved.client.trigger('news', 'headline', 'moved');
    await untilHeard(heard);
    expect(heard).toEqual(['moved']);
  },
);

story(['docs/notifications.md 1'], 'a page shows what its user is told until it was read', async (block) => {
  const userAuthentication = {
    customHandler: ({ socketId }: any, callback: any) =>
      callback(null, pusher.authenticateUser(socketId, { id: 'alice' })),
  };
  const client = leaving(new PusherJs(testApp.key, { ...at(server.port), userAuthentication } as any));
  const shown = listener<[id: string, from: string, text: string, read: () => Promise<Response>]>();
  const [unread, removed, gone] = [listener<number>(), listener<string>(), listener<string>()];
  const scope = {
    pusher: client,
    show: (...values: (typeof shown.heard)[0]) => shown.hear(values),
    badge: unread.hear,
    remove: removed.hear,
    removeFromFeed: gone.hear,
    // In a page, paths are those of where it comes from.
    fetch: (path: string, init: RequestInit) => fetch(new URL(path, server.url), init),
  };
  await runBlock(block, { scope });
  await until(() => (client.user as any).serverToUserChannel?.subscribed === true, 'Alice is signed in');
  const event = { name: 'mention', data: { room: 'kitchen', from: 'Bob', text: 'Tea?' } };
  const push = { web: { notification: { title: 'Bob in the kitchen' } } };
  const answer = await pusher.post({ path: '/notifications', body: { userId: 'alice', event, push } as any });
  const { id } = (await answer.json()) as { id: string };
  await untilHeard(shown.heard);
  await untilHeard(unread.heard);
  const [[, from, text, read]] = shown.heard as [(typeof shown.heard)[0]];
  expect([shown.heard[0]![0], from, text, unread.heard]).toEqual([id, 'Bob', 'Tea?', [1]]);
  expect((await read()).ok).toBe(true);
  await untilHeard(removed.heard);
  expect([removed.heard, unread.heard]).toEqual([[id], [1, 0]]);
  const { readUrl } = (await (await pusher.get({ path: `/notifications/${id}` })).json()) as { readUrl: string };
  expect((await fetch(new URL(readUrl, server.url), { method: 'DELETE' })).ok).toBe(true);
  await untilHeard(gone.heard);
  expect([gone.heard, removed.heard]).toEqual([[id], [id, id]]);
});

story(['docs/testing.md 1'], 'node:test runs the contract of a port', async (block) => {
  const tested = (broker: string) => {
    const imports =
      "import { InProcessBroker } from 'rookery/channels'; import { describeBroker } from '@rookery/testing';";
    const code = `${imports} class MyBroker extends InProcessBroker { ${broker} }\n${block.code}`;
    const args = ['--input-type=module', '--test-reporter=tap', '--eval', code];
    return promisify(execFile)(process.execPath, args, { cwd: root, env: { PATH: process.env['PATH'] } });
  };
  expect((await tested('')).stdout).toMatch(/^# pass [1-9]\d*\n# fail 0$/m);
  const broken = await tested('async publish() { throw new Error("no"); }').catch((error: unknown) => error);
  expect(broken).toMatchObject({ code: 1, stdout: expect.stringMatching(/^# fail [1-9]/m) });
});

story(['docs/mirror.md 1'], 'moves about a tenth of the users for good', async (block) => {
  const instead = { 'realtime.example.com': '127.0.0.1' };
  const { moved, settingsFor } = await runBlock(block, {
    scope: { createHash },
    instead,
    wanted: ['moved', 'settingsFor'],
  });
  const users = Array.from({ length: 10_000 }, (_, n) => `user ${n}`);
  const movedAt = (percent: number) => users.filter((user) => moved(user, percent));
  const tenth = movedAt(10);
  expect(tenth.length).toBeGreaterThan(900);
  expect(tenth.length).toBeLessThan(1100);
  expect(tenth.every((user) => moved(user, 11))).toBe(true);
  expect([movedAt(0), movedAt(100)]).toEqual([[], users]);
  const ports = { wsPort: server.port, httpPort: server.port, forceTLS: false };
  await joined(leaving(new PusherJs(testApp.key, { ...settingsFor(tenth[0]), ...ports })), 'news');
  expect(settingsFor(users.find((user) => !moved(user, 10)))).toEqual({ cluster: 'eu' });
});

story(['docs/typed-events.md 1'], 'a client whose events have types is pusher-js', async (block) => {
  const scope = { Pusher: PusherJs, key: testApp.key, others: at(server.port) };
  const modules = { '@rookery/client': rookeryClient };
  const { live } = await runBlock(block, { scope, modules, instead: { '…': '...others' }, wanted: ['live'] });
  const { heard, hear } = listener();
  const channel = leaving(live).subscribe('orders.7').bind('shipped', hear);
  await until(() => channel.subscribed, 'it is subscribed');
  await pusher.trigger('orders.7', 'shipped', { orderId: 7, carrier: 'DHL' });
  await untilHeard(heard);
  expect(heard).toEqual([{ orderId: 7, carrier: 'DHL' }]);
});

/** What the import of a package's default answers. */
const asDefault = (value: unknown) => ({ __esModule: true, default: value });

story(['docs/sdks/laravel.md 1'], 'Echo hears with the settings of .env', async (block) => {
  const env = all.find(({ page, language }) => page === block.page && language === 'ini')!;
  const instead = {
    'APP_KEY=key': `APP_KEY=${testApp.key}`,
    'realtime.example.com': '127.0.0.1',
    '443': `${server.port}`,
    https: 'http',
  };
  writeFileSync(join(folder, '.env'), filled(env, instead));
  const variables = loadEnv('production', folder, 'VITE_');
  const window: object = {};
  vi.stubGlobal('window', window);
  const { heard, hear } = listener();
  const modules = { 'laravel-echo': asDefault(Echo), 'pusher-js': asDefault(PusherJs) };
  const scope = { variables, console: { log: hear } };
  await runBlock(block, { scope, modules, instead: { 'import.meta.env': 'variables' } });
  const { Echo: echo } = window as { readonly Echo: Echo<'pusher'> };
  const channel = leaving(echo).channel('orders');
  await new Promise<void>((resolve) => channel.subscribed(resolve));
  await pusher.trigger('orders', 'App\\Events\\OrderShipped', { id: 1 });
  await untilHeard(heard);
  expect(heard).toEqual([{ id: 1 }]);
});

/** The settings of a page of an SDK, with the reader's own in their place. */
const ofSdkPage = (endpoint: string, url: string) => ({
  "'key'": `'${testApp.key}'`,
  'realtime.example.com': '127.0.0.1',
  ' 80,': ` ${server.port},`,
  'forceTLS: true': 'forceTLS: false',
  [`endpoint: '${endpoint}'`]: `endpoint: '${url}'`,
});

for (const [language, endpoint] of [
  ['ruby', '/pusher/auth'],
  ['php', '/pusher-auth.php'],
] as const)
  story([`docs/sdks/${language}.md 1`], `the page of a server in ${language} hears`, async (block) => {
    const auth = await startAuthEndpoint(pusher, pusher);
    ended.push(() => auth.close());
    const { heard, hear } = listener();
    const document = { querySelector: () => ({ getAttribute: () => 'token' }) };
    const scope = { document, console: { log: hear } };
    const modules = { 'pusher-js': asDefault(PusherJs) };
    const instead = ofSdkPage(endpoint, auth.url);
    const client = leaving((await runBlock(block, { scope, modules, instead, wanted: ['pusher'] })).pusher);
    await joined(client, 'private-news');
    await until(() => client.channel('my-channel').subscribed, 'the page has subscribed');
    await pusher.trigger('my-channel', 'my-event', { hello: 'world' });
    await untilHeard(heard);
    expect(heard).toEqual([{ hello: 'world' }]);
  });

story(['docs/sdks/react-native.md 1'], 'pusher-js for React Native hears, also on private channels', async (block) => {
  const auth = await startAuthEndpoint(pusher, pusher);
  ended.push(() => auth.close());
  const { heard, hear } = listener();
  const scope = { console: { log: hear } };
  const modules = { 'pusher-js/react-native': pusherOfReactNative() };
  const instead = ofSdkPage('https://example.com/pusher/auth', auth.url);
  const client = leaving((await runBlock(block, { scope, modules, instead, wanted: ['pusher'] })).pusher);
  const channels = ['my-channel', 'private-user-7', 'presence-lobby'];
  await until(() => channels.every((name) => client.channel(name).subscribed), 'it has subscribed');
  await pusher.trigger('my-channel', 'my-event', { hello: 'world' });
  await until(() => heard.some((value) => value.hello === 'world'), 'it hears the event');
  expect(heard).toContain('connected');
});

story(['docs/sdks/react-native.md 2'], 'a phone without an SDK registers its token', async (block) => {
  const notifications = {
    requestPermissionsAsync: async () => ({ granted: true }),
    getDevicePushTokenAsync: async () => ({ type: 'android', data: 'token of a phone' }),
  };
  const instead = { 'https://realtime.example.com': server.url, '8a0c…': instance.id };
  const modules = { 'expo-notifications': notifications };
  const { id } = await runBlock(block, { modules, instead, wanted: ['id'] });
  const { devices } = await call('GET', 'customer_api/interests/hello/devices');
  expect(devices).toContainEqual(expect.objectContaining({ id, platform: 'fcm' }));
});

describeChromium('in a browser', () => {
  story(
    ['docs/push.md 1', 'docs/push.md 2'],
    "a site's own service worker shows pushes",
    async (worker, page) => {
      const instead = { 'https://push.example.com': server.url };
      const site = await serveSite({ '/sw.js': filled(worker, instead) });
      const { context, close } = await startChromium(site);
      ended.push(close);
      const { token } = vendor.subscribe('page');
      await context.addInitScript(subscribeAtStandIn, Buffer.from(token, 'base64').toString());
      const opened = await context.newPage();
      await opened.goto(site);
      await opened.evaluate(`(async () => {
      const { Client } = PusherPushNotifications;
      const instanceId = '${instance.id}';
      ${filled(page, instead)}
      await client.start();
      await client.addDeviceInterest('own-worker');
    })()`);
      const beams = new PushNotifications({ ...ofInstance, endpoint: '127.0.0.1', port: server.port } as any);
      const notification = { title: 'Hello', body: 'world' };
      const { publishId } = await beams.publishToInterests(['own-worker'], { web: { notification } });
      const pushed = () => vendor.received.filter((each) => each.token === token);
      await until(() => pushed().length > 0, 'it is pushed');
      await deliver(opened, JSON.stringify(pushed()[0]!.payload));
      const delivered = async () =>
        (await call('GET', `publish_api/publishes/${publishId}`)).platforms.web.delivered === 1;
      await until(delivered, 'the worker tells the server that it was delivered');
      const shown = () =>
        context.serviceWorkers()[0]!.evaluate(async () => {
          const { registration } = globalThis as any;
          return (await registration.getNotifications()).map((each: any) => each.title as string);
        });
      await until(async () => (await shown()).includes('Hello'), 'it is shown');
    },
    it,
  );

  story(
    ['docs/push.md 3'],
    'a browser registers again after its device was removed',
    async (again) => {
      const site = await serveSite({ '/sw.js': "addEventListener('fetch', () => {})" });
      const { context, close } = await startChromium(site);
      ended.push(close);
      await context.addInitScript(
        subscribeAtStandIn,
        Buffer.from(vendor.subscribe('again').token, 'base64').toString(),
      );
      const opened = await context.newPage();
      await opened.goto(site);
      const load = (): Promise<string> =>
        opened.evaluate(`(async () => {
      const serviceWorkerRegistration = await navigator.serviceWorker.register('/sw.js');
      const options = { instanceId: '${instance.id}', endpointOverride: '${server.url}', serviceWorkerRegistration };
      const client = new PusherPushNotifications.Client(options);
      ${again.code}
      await client.addDeviceInterest('again');
      return client.getDeviceId();
    })()`);
      const first = await load();
      expect(await load()).toBe(first);
      const device = (id: string, method = 'GET') =>
        fetch(`${server.url}/device_api/v1/instances/${instance.id}/devices/web/${id}`, { method });
      await device(first, 'DELETE');
      const second = await load();
      expect(second).not.toBe(first);
      expect((await device(second)).status).toBe(200);
    },
    it,
  );
});

/** A site with an empty page that has the SDK, and the SDK's worker. */
async function serveSite(files: Readonly<Record<string, string>>): Promise<string> {
  const sdk = join(root, 'node_modules/@pusher/push-notifications-web');
  const scripts: Readonly<Record<string, string>> = {
    '/sdk.js': readFileSync(join(sdk, 'dist/push-notifications-cdn.js'), 'utf8'),
    // The package has it in parts only.
    '/pusher-beams-service-worker.js': await bundledWorker(join(sdk, 'src/service-worker.js')),
    ...files,
  };
  const site = createServer(({ url = '' }, response) => {
    const script = scripts[url];
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript');
    response.end(script ?? '<!doctype html><script src="/sdk.js"></script>');
  });
  await new Promise<void>((resolve) => site.listen(0, 'localhost', resolve));
  ended.push(() => site.close());
  return `http://localhost:${(site.address() as AddressInfo).port}`;
}

async function bundledWorker(input: string): Promise<string> {
  const bundle = await rolldown({ input });
  const { output } = await bundle.generate({ format: 'iife' });
  await bundle.close();
  return output[0].code;
}

it('has a story for every block', () => {
  const byName = (a: string, b: string): number => a.localeCompare(b);
  expect(told.toSorted(byName)).toEqual([...blocks.keys()].toSorted(byName));
  expect(blocks.size).toBeGreaterThan(20);
});
