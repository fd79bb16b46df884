import {
  Controller,
  type DynamicModule,
  Get,
  HttpCode,
  Injectable,
  Module,
  type NestApplicationOptions,
  ParseIntPipe,
  Post,
  Req,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import PushNotifications from '@pusher/push-notifications-server';
import { TokenProvider } from '@pusher/push-notifications-web';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Pusher from 'pusher';
import { AuthorizationModule, ChannelAuthorizer, ChannelParam, CurrentUser } from 'rookery/authorization';
import {
  App,
  type AppConfig,
  AppRepository,
  AppsAdmin,
  ChannelsModule,
  CurrentApp,
  CurrentWebhook,
  EventsService,
  Parameters,
  signedQuery,
  SignedRequestGuard,
  WebhookGuard,
} from 'rookery/channels';
import { NotificationsModule, NotificationsService } from 'rookery/notifications';
import { PresenceModule, PresenceService } from 'rookery/presence';
import { PublishModule, PublishWebhookGuard } from 'rookery/publish';
import { CurrentUserId, DeviceRepository, DeviceTokens, PushDeviceModule, UserTokenGuard } from 'rookery/push-device';
import { RedisModule } from 'rookery/redis';
import { RookeryTesting } from '@rookery/testing';
import { PostgresClusterModule, TypeOrmAppRepository, TypeOrmStorageModule } from 'rookery/typeorm';
import { afterEach, expect, it } from 'vitest';
import { LoginGuard, Orders } from '../support/authorizing-host.js';
import { platforms } from '../support/channels-host.js';
import { startChannels, testApp } from '../support/channels-server.js';
import { isCompared } from '../support/compared-pages.js';
import { type DocBlock, docBlocks } from '../support/doc-blocks.js';
import { listen, type Platform } from '../support/embedding-host.js';
import { startPublishApp } from '../support/publish-app.js';
import { instance } from '../support/push-app.js';
import { joined, PusherJs } from '../support/pusher-js.js';
import { describePostgres, newPostgresDatabase } from '../support/postgres.js';
import { describeRedis, TestRedis } from '../support/redis.js';
import { type Reader, runBlock } from '../support/run-block.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { describeNode } from '../support/services.js';

// The TypeScript of the pages that is not taken from files which tests run: each block is run here, as its reader
// would.

const blocks = docBlocks(join(import.meta.dirname, '../..')).filter(
  (block) => /^tsx?$/.test(block.language) && !isCompared(block),
);

/** Such as `README.md 2`: the second one of that page. */
const names = blocks.map(
  ({ page }, at) => `${page} ${blocks.slice(0, at + 1).filter((one) => one.page === page).length}`,
);

/** What is not run, and why. */
const notRun: Readonly<Record<string, string>> = {
  'docs/sdks/react-native.md 1': 'needs an SDK that is in no release, and a phone',
};

const stories: string[] = [];

/** What happens where a reader has taken the block. */
function story(name: string, happens: string, tell: (block: DocBlock) => Promise<void>): void {
  stories.push(name);
  it(`${happens} (${name})`, { timeout: 60_000 }, async () => {
    const block = blocks[names.indexOf(name)];
    if (!block) throw new Error(`There is no ${name}`);
    await expect(tell(block)).resolves.not.toThrow();
  });
}

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).toReversed()) await end();
});

/** An application of a module, on a free port. */
async function serve(
  module: Type | DynamicModule,
  platform: Platform = 'Express',
  options: NestApplicationOptions = {},
) {
  const lines: string[] = [];
  const keep = (text: unknown) => void lines.push(String(text));
  const logger = { log: keep, warn: keep, error: keep };
  const app = await NestFactory.create(module, platforms[platform](), { logger, abortOnError: false, ...options });
  ended.push(() => app.close());
  return { app, lines, ...(await listen(app)) };
}

class ReadersModule {}

/** The same, of what a reader imports and has besides. */
const serveHost = (host: Omit<DynamicModule, 'module'>, ...options: readonly [Platform?, NestApplicationOptions?]) =>
  serve({ module: ReadersModule, ...host }, ...options);

/** The official library of an app's server. */
const libraryOf = (port: number, { id: appId, key, secret }: AppConfig = testApp): Pusher =>
  new Pusher({ appId, key, secret, host: '127.0.0.1', port: `${port}` });

/** A page with pusher-js. @param user the signed-in user */
function open(port: number, key = testApp.key, user = 'nobody'): PusherJs {
  const endpoint = `http://127.0.0.1:${port}/pusher/auth`;
  const page = new PusherJs(key, {
    cluster: 'self',
    wsHost: '127.0.0.1',
    wsPort: port,
    forceTLS: false,
    enabledTransports: ['ws'],
    channelAuthorization: { transport: 'ajax', endpoint, headers: { authorization: `Bearer ${user}` } },
  });
  ended.push(() => page.disconnect());
  return page;
}

/** Says something on a channel, and waits until the page has it, and it alone. */
async function expectHeard(page: PusherJs, channel: string, trigger: () => Promise<unknown>): Promise<void> {
  const heard: unknown[] = [];
  (await joined(page, channel)).bind('my-event', (data: unknown) => heard.push(data));
  await trigger();
  await until(() => heard.length > 0, 'the page has it');
  expect(heard).toEqual([hello]);
}

const hello = { hello: 'world' };

/** Code that begins with a constructor: what follows is what a method of that provider does. */
const asProvider =
  (parameters: string, answer = '') =>
  (code: string): string => {
    const [constructor, ...statements] = code.split('\n');
    const method = `async run(${parameters}) { ${statements.join('\n')} ${answer} }`;
    return `@Injectable() class Whole { ${constructor} ${method} }`;
  };

/** Members of a controller. */
const asController = (code: string): string => `@Controller() class Whole { ${code} }`;

describeNode.each(['Express', 'Fastify'] as const)('the modules, imported on %s', (platform) => {
  story('README.md 1', 'serve the SDKs', async (block) => {
    const { id, secretKey } = instance;
    const { key, secret } = testApp;
    const scope = {
      Module,
      PresenceModule,
      ChannelsModule,
      PushDeviceModule,
      PublishModule,
      id,
      key,
      secret,
      secretKey,
    };
    const { AppModule } = await runBlock(block, { scope, wanted: ['AppModule'] });
    const { port } = await serve(AppModule, platform);
    await expectHeard(open(port), 'my-channel', () =>
      libraryOf(port, { id, key, secret }).trigger('my-channel', 'my-event', hello),
    );
    const options = { instanceId: id, secretKey, endpoint: '127.0.0.1', port };
    const answer = await new PushNotifications(options).publishToInterests(['hello'], { fcm: { notification: {} } });
    expect(answer).toEqual({ publishId: expect.stringMatching(/^pubid-/) as string });
  });
});

const channels = (): DynamicModule[] => [PresenceModule.forRoot(), ChannelsModule.forRoot({ apps: [testApp] })];

story('README.md 2', 'admits only the owner of the order', async (block) => {
  const { Whole } = await runBlock(block, {
    scope: { Injectable, UseGuards, LoginGuard, Orders, ChannelAuthorizer, CurrentUser, ChannelParam, ParseIntPipe },
    around: (code) =>
      `@Injectable() @UseGuards(LoginGuard) class Whole { constructor(private readonly orders: Orders) {} ${code} }`,
    wanted: ['Whole'],
  });
  const imports = [...channels(), AuthorizationModule.forRoot()];
  const { port } = await serveHost({ imports, providers: [Orders, Whole] });
  const alice = open(port, testApp.key, 'alice');
  await expectHeard(alice, 'private-orders.7', () => libraryOf(port).trigger('private-orders.7', 'my-event', hello));
  await expect(joined(alice, 'private-orders.1001')).rejects.toMatchObject({ status: 403 });
  await expect(joined(alice, 'private-orders.seven')).rejects.toMatchObject({ status: 403 });
  const bob = open(port, testApp.key, 'bob');
  await expect(joined(bob, 'private-orders.7')).rejects.toMatchObject({ status: 403 });
  await joined(bob, 'private-orders.1001');
});

story('README.md 3', 'triggers, and notifies a user on their page, otherwise on their devices', async (block) => {
  const { Whole } = await runBlock(block, {
    scope: {
      Injectable,
      EventsService,
      NotificationsService,
      appId: testApp.id,
      data: { text: 'Hi' },
      fcm: { notification: { title: 'Hi' } },
      apns: { aps: { alert: 'Hi' } },
      web: { notification: { title: 'Hi' } },
    },
    around: asProvider('userId: string'),
    wanted: ['Whole'],
  });
  const push = [PushDeviceModule.forRoot({ instances: [instance] }), PublishModule.forRoot()];
  const imports = [...channels(), ...push, NotificationsModule.forRoot()];
  const rookery = await RookeryTesting.start([{ module: ReadersModule, imports, providers: [Whole] }]);
  ended.push(() => rookery.close());
  const alice = await rookery.connect({ user: { id: 'alice' } });
  await alice.subscribe('my-channel');
  await rookery.get<any>(Whole).run('alice');
  const dataOf = (name: string) => alice.events.filter(({ event }) => event === name).map(({ data }) => data);
  await until(() => dataOf('message').length > 0, 'Alice is told on her page');
  expect(dataOf('my-event')).toEqual([hello]);
  expect(dataOf('message')).toMatchObject([{ text: 'Hi' }]);
  for (const platform of ['fcm', 'apns', 'web'] as const) await rookery.register({ platform, user: 'bob' });
  await rookery.get<any>(Whole).run('bob');
  await until(async () => {
    await rookery.clock.advance(1000);
    return rookery.pushes.length === 3;
  }, 'Bob is told on his devices');
  expect(rookery.pushes.map(({ user }) => user)).toEqual(['bob', 'bob', 'bob']);
});

story('README.md 4', "serves the apps of a repository of the reader's", async (block) => {
  const { module, AppsFromMyDatabase } = await runBlock(block, {
    scope: { Injectable, AppRepository, ChannelsModule, tenants: [testApp] },
    instead: {
      'findById(id: string) { … }': 'findById(id: string) { return tenants.find((app) => app.id === id); }',
      'findByKey(key: string) { … }': 'findByKey(key: string) { return tenants.find((app) => app.key === key); }',
      'ChannelsModule.forRoot(': 'const module = ChannelsModule.forRoot(',
    },
    wanted: ['module', 'AppsFromMyDatabase'],
  });
  const { app, port } = await serveHost({ imports: [PresenceModule.forRoot(), module] });
  expect(app.get(AppRepository)).toBeInstanceOf(AppsFromMyDatabase);
  await expectHeard(open(port), 'my-channel', () => libraryOf(port).trigger('my-channel', 'my-event', hello));
  await expect(libraryOf(port, { ...testApp, id: 'other' }).get({ path: '/channels' })).rejects.toThrow();
});

story('docs/apps.md 1', 'creates an app and edits it, and both apps are served', async (block) => {
  const { Whole } = await runBlock(block, {
    scope: { Injectable, AppsAdmin },
    around: asProvider('user', 'return { id, key, secret };'),
    wanted: ['Whole'],
  });
  const folder = mkdtempSync(join(tmpdir(), 'rookery-typescript-'));
  ended.push(() => rmSync(folder, { recursive: true }));
  const imports = [
    TypeOrmStorageModule.forRoot({ url: `sqlite:${join(folder, 'rookery.db')}` }),
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [testApp], appRepository: TypeOrmAppRepository }),
  ];
  const { app, port, lines } = await serveHost({ imports, providers: [Whole] });
  const made = (await app.get(Whole).run({ name: 'Ann' })) as AppConfig;
  for (const each of [made, testApp])
    await expectHeard(open(port, each.key), 'my-channel', () =>
      libraryOf(port, each).trigger('my-channel', 'my-event', hello),
    );
  const { settings } = await app.get(AppsAdmin).find(made.id);
  expect(settings).toEqual({ ...made, clientEvents: true, maxConnections: 500 });
  expect(lines).toContain(`The app "${made.id}" was created, by Ann`);
  expect(lines).toContain(`The app "${made.id}" was changed: maxConnections, by Ann`);
});

story('docs/events.md 2', "answers signed requests on a route of the reader's, and no others", async (block) => {
  const { Whole } = await runBlock(block, {
    scope: { Controller, Post, UseGuards, SignedRequestGuard, CurrentApp, App, Parameters },
    instead: { '}) {}': '}) { return { app: app.id, from: parameters.from }; }' },
    around: asController,
    wanted: ['Whole'],
  });
  const { port, url } = await serveHost({ imports: channels(), controllers: [Whole] }, 'Express', { rawBody: true });
  const ask = async (path: string, query: string, body = '') => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}${path}?${query}`, { method: 'POST', headers, body: body || null });
    return { status: answer.status, text: await answer.text() };
  };
  const [path, body] = [`/stats/${testApp.id}`, '{"from":"monday"}'];
  const library = libraryOf(port);
  const query = library.createSignedQueryString({ method: 'POST', path, body });
  const found = { status: 201, text: JSON.stringify({ app: testApp.id, from: 'monday' }) };
  expect(await ask(path, query, body)).toEqual(found);
  const params = { from: 'monday' };
  expect(await ask(path, library.createSignedQueryString({ method: 'POST', path, params }))).toEqual(found);
  expect(await ask(path, '', body)).toMatchObject({ status: 401 });
  expect(await ask(path, query, body.replace('monday', 'sunday'))).toMatchObject({ status: 401 });
  const other = library.createSignedQueryString({ method: 'POST', path: '/stats/other', body });
  expect(await ask('/stats/other', other, body)).toMatchObject({ status: 401 });
});

story('docs/events.md 3', 'calls a route that requires signed requests', async (block) => {
  @Controller()
  class Stats {
    @Post('stats/:appId')
    @UseGuards(SignedRequestGuard)
    of(@CurrentApp() app: App, @Parameters() parameters: object) {
      return { app: app.id, parameters };
    }
  }
  const { url } = await serveHost({ imports: channels(), controllers: [Stats] }, 'Fastify', { rawBody: true });
  const { response } = await runBlock(block, { scope: { signedQuery, url, ...testApp }, wanted: ['response'] });
  expect(await response.json()).toEqual({ app: testApp.id, parameters: { from: 'monday' } });
});

story('docs/events.md 1', 'receives joining and leaving members from a separate server', async (block) => {
  const { Webhooks } = await runBlock(block, {
    scope: { Controller, Post, HttpCode, UseGuards, WebhookGuard, CurrentWebhook, ...testApp },
    wanted: ['Webhooks'],
  });
  const { app, url } = await serveHost({ controllers: [Webhooks] }, 'Express', { rawBody: true });
  const webhooks = [{ url: `${url}/webhooks/channels` }];
  const server = await startChannels({ apps: [{ ...testApp, webhooks }], webhooks: { holdMs: 100 } });
  ended.push(() => server.close());
  const alice = await SocketClient.connect(server.port);
  await alice.subscribe('presence-room', { user_id: 'alice' });
  const { online } = app.get<{ online: ReadonlySet<string> }>(Webhooks);
  await until(() => online.has('alice'), 'Alice is online');
  alice.close();
  await until(() => online.size === 0, 'Alice is gone');
  expect((await fetch(`${url}/webhooks/channels`, { method: 'POST' })).status).toBe(401);
});

story('docs/channels.md 1', 'returns the commented values, without Channels', async (block) => {
  const { app } = await serveHost({ imports: [PresenceModule.forRoot()] });
  const answers: { readonly answered: object; readonly said: object }[] = [];
  await runBlock(block, {
    scope: { presence: app.get(PresenceService), connectionId: '1', answers },
    around: (code) => code.replaceAll(/^(await .*); \/\/ (.*)$/gm, 'answers.push({ answered: $1, said: $2 });'),
  });
  expect(answers).toHaveLength(2);
  for (const { answered, said } of answers) expect(answered).toMatchObject(said);
});

story('docs/push.md 1', 'assigns a device to the signed-in user', async (block) => {
  const { BeamsAuthController } = await runBlock(block, {
    scope: { Controller, Get, UseGuards, Req, DeviceTokens, LoginGuard, instanceId: instance.id },
    wanted: ['BeamsAuthController'],
  });
  const imports = [PushDeviceModule.forRoot({ instances: [instance] })];
  const { url } = await serveHost({ imports, controllers: [BeamsAuthController] });
  // As the SDK does it in a browser.
  const tokenOf = (user: string) =>
    new TokenProvider({ url: `${url}/beams-auth`, headers: { authorization: `Bearer ${user}` } }).fetchToken('bob');
  const devices = `${url}/device_api/v1/instances/${instance.id}/devices/fcm`;
  const headers = { 'content-type': 'application/json' };
  const registered = await fetch(devices, { method: 'POST', headers, body: '{"token":"t"}' });
  const { id } = (await registered.json()) as { id: string };
  const { token } = await tokenOf('alice');
  const put = await fetch(`${devices}/${id}/user`, { method: 'PUT', headers: { authorization: `Bearer ${token}` } });
  expect(put.status).toBe(200);
  expect(await (await fetch(`${devices}/${id}`)).json()).toMatchObject({ userId: 'alice' });
  await expect(tokenOf('nobody')).rejects.toThrow();
});

story('docs/push.md 2', 'receives the users that opened a notification', async (block) => {
  const { Whole } = await runBlock(block, {
    scope: {
      Controller,
      Post,
      HttpCode,
      UseGuards,
      PublishWebhookGuard,
      CurrentWebhook,
      webhookSecret: 'webhook secret',
    },
    around: (code) => asController(`opened = new Set(); ${code}`),
    wanted: ['Whole'],
  });
  const { app, url } = await serveHost({ controllers: [Whole] }, 'Fastify', { rawBody: true });
  const events = ['v1.UserNotificationOpen'] as const;
  const webhooks = [{ url: `${url}/webhooks/push`, secret: 'webhook secret', events }];
  const sender = await startPublishApp({ instances: [{ ...instance, webhooks }] });
  ended.push(() => sender.close());
  const deviceId = await sender.registered(['news']);
  await sender.app.get(DeviceRepository).setUser(instance.id, 'fcm', deviceId, 'alice');
  const { json } = await sender.publish({ interests: ['news'], fcm: {} });
  const { publishId } = json as { publishId: string };
  await sender.report({ publishId, deviceId, userId: 'alice', event: 'open', timestampSecs: 1 });
  const { opened } = app.get<{ opened: ReadonlySet<string> }>(Whole);
  await until(() => opened.has('alice'), 'Alice has opened it');
});

story('docs/push-module.md 1', 'lets a user see their own inbox', async (block) => {
  const { Whole } = await runBlock(block, {
    scope: { Controller, Get, UseGuards, UserTokenGuard, CurrentUserId },
    instead: { ') {}': ') { return { inboxOf: userId }; }' },
    around: asController,
    wanted: ['Whole'],
  });
  const imports = [PushDeviceModule.forRoot({ instances: [instance] })];
  const { app, url } = await serveHost({ imports, controllers: [Whole] });
  const { token } = await app.get(DeviceTokens).issue(instance.id, 'alice');
  const inbox = async (user: string, headers: Record<string, string> = { authorization: `Bearer ${token}` }) => {
    const answer = await fetch(`${url}/inbox/${instance.id}/${user}`, { headers });
    return { status: answer.status, text: await answer.text() };
  };
  expect(await inbox('alice')).toEqual({ status: 200, text: '{"inboxOf":"alice"}' });
  expect(await inbox('bob')).toMatchObject({ status: 403 });
  expect(await inbox('alice', {})).toMatchObject({ status: 401 });
});

describePostgres('with PostgreSQL', () => {
  story('docs/scaling.md 1', 'sends events of one application to the page of another', async (block) => {
    const reader: Reader = {
      scope: { TypeOrmStorageModule, PostgresClusterModule, PresenceModule, ChannelsModule, apps: [testApp] },
      instead: { 'postgres://db/shop': await newPostgresDatabase() },
      around: (code) => `const host = { ${code} };`,
      wanted: ['host'],
    };
    const [one, other] = [await runBlock(block, reader), await runBlock(block, reader)];
    const [{ port }, { port: otherPort }] = [await serveHost(one.host), await serveHost(other.host)];
    await expectHeard(open(port), 'my-channel', () => libraryOf(otherPort).trigger('my-channel', 'my-event', hello));
  });
});

describeRedis('with Redis', () => {
  story('docs/scaling.md 2', 'sends events of one application to the page of another', async (block) => {
    const redis = await TestRedis.start();
    ended.push(() => redis.stop());
    const reader: Reader = {
      scope: { RedisModule, PresenceModule, ChannelsModule, apps: [testApp] },
      instead: { 'redis://cache:6379': redis.url },
      around: (code) => `const host = { ${code} };`,
      wanted: ['host'],
    };
    const [one, other] = [await runBlock(block, reader), await runBlock(block, reader)];
    const [{ port }, { port: otherPort }] = [await serveHost(one.host), await serveHost(other.host)];
    await expectHeard(open(port), 'my-channel', () => libraryOf(otherPort).trigger('my-channel', 'my-event', hello));
  });
});

it('has a story or a reason for every block', () => {
  const known = new Set([...stories, ...Object.keys(notRun)]);
  expect(names.filter((name) => !known.has(name))).toEqual([]);
  expect([...known].filter((name) => !names.includes(name))).toEqual([]);
});
