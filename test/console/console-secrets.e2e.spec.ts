import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AppConfig, ChannelsModule } from 'rookery/channels';
import { RouteRegistrar } from '#http';
import { ConsoleModule } from '@rookery/console';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { type Instance, PushDeviceModule } from 'rookery/push-device';
import { ConsoleClient } from '../support/console-client.js';
import { applePem, googlePem } from '../support/private-keys.js';
import { api } from '../support/publish-app.js';
import { startApp } from '../support/push-app.js';
import { ScriptedGateway } from '../support/scripted.gateway.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const [p8, serviceKey] = [applePem(), googlePem()];
const text = () => randomBytes(32).toString('base64');

/** Values that no viewer may read. */
const secrets = {
  password: text(),
  appSecret: text(),
  furtherSecret: text(),
  webhookHeader: text(),
  mirrorSecret: text(),
  masterKey: text(),
  instanceKey: text(),
  furtherInstanceKey: text(),
  vapidPrivateKey: randomBytes(32).toString('base64url'),
  instanceWebhookSecret: text(),
  webhookPassword: randomBytes(16).toString('hex'),
  mirrorPassword: randomBytes(16).toString('hex'),
  instanceWebhookPassword: randomBytes(16).toString('hex'),
  deviceToken: text(),
  p8: p8.split('\n')[1]!,
  serviceKey: serviceKey.split('\n')[1]!,
};

let app: Awaited<ReturnType<typeof startApp>>;
let receiver: WebhookReceiver;
let console_: ConsoleClient;
let alice: SocketClient;

const withPassword = (url: string, word: string): string => url.replace('://', `://user:${word}@`);

const shop = (): AppConfig => ({
  id: 'shop',
  key: 'shop-key',
  secret: secrets.appSecret,
  keys: [{ key: 'older-key', secret: secrets.furtherSecret }],
  encryptionMasterKeyBase64: secrets.masterKey,
  mirror: {
    url: withPassword(receiver.url('/mirror'), secrets.mirrorPassword),
    id: 'mirror',
    key: 'mirror-key',
    secret: secrets.mirrorSecret,
  },
  webhooks: [
    { url: withPassword(receiver.url('/hook'), secrets.webhookPassword) },
    { url: receiver.url('/hook'), headers: { authorization: `Bearer ${secrets.webhookHeader}` } },
  ],
});

const push: Instance = {
  id: '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60',
  secretKey: secrets.instanceKey,
  furtherSecretKeys: [secrets.furtherInstanceKey],
  apns: { key: p8, keyId: 'ABC123DEFG', teamId: 'DEF123GHIJ' },
  fcm: { serviceAccount: { project_id: 'p', client_email: 'a@p.example', private_key: serviceKey } },
  web: { vapidPublicKey: 'public', vapidPrivateKey: secrets.vapidPrivateKey, subject: 'mailto:push@shop.example' },
  webhooks: [
    {
      url: `http://user:${secrets.instanceWebhookPassword}@127.0.0.1:1`,
      secret: secrets.instanceWebhookSecret,
      events: ['v1.PublishToUsersAttempt'],
    },
  ],
};

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  receiver.otherwise = (response) => void response.writeHead(500).end();
  app = await startApp([
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [shop()], webhooks: { retryMs: 0 } }),
    PushDeviceModule.forRoot({ instances: [push] }),
    PublishModule.forRoot({
      pollMs: 20,
      apnsGateway: new ScriptedGateway('apns'),
      fcmGateway: new ScriptedGateway('fcm'),
      webGateway: new ScriptedGateway('web'),
    }),
    ConsoleModule.forRoot({ password: secrets.password }),
  ]);
  console_ = new ConsoleClient(app.port, secrets.password);
});
afterAll(async () => {
  console_.close();
  alice?.close();
  await app.close();
  await receiver.close();
});

it('reveals no secret in any answer', async () => {
  const view = await console_.live('shop');
  let streamed = '';
  view.answer.on('data', (part: string) => (streamed += part));
  alice = await SocketClient.connect(app.port, shop());
  await alice.subscribe('presence-a', { user_id: 'alice' });
  alice.send({ event: 'pusher:subscribe', data: { channel: 'private-b', auth: 'shop-key:wrong' } });
  const { json: event } = await console_.ask('POST', 'apps/shop/events', {
    channels: ['presence-a'],
    name: 'e',
    data: '{}',
  });
  for (const kind of ['event', 'error', 'webhook']) await view.next(kind);
  await until(async () => (await console_.get('apps/shop/webhooks')).dead > 0, 'a webhook is given up');
  const device = await api(app.call, push).registered(['news'], secrets.deviceToken);
  const { json: publish } = await console_.ask('POST', `instances/${push.id}/publishes`, {
    interests: ['news'],
    body: { fcm: { notification: { title: 'hi' } } },
  });
  const publishPath = `instances/${push.id}/publishes/${publish.publishId}`;
  await until(async () => (await console_.get(publishPath)).state === 'done', 'it is published');

  /** Every path that is read, and what there is to read. */
  const asked: Record<string, string | readonly string[]> = {
    session: 'session',
    overview: 'overview',
    nodes: 'nodes',
    charts: 'charts?app=shop',
    'charts/day': 'charts/day',
    'charts/push': `charts/push?instance=${push.id}`,
    'admin/:kind': ['admin/apps', 'admin/instances'],
    'admin/:kind/:id': ['admin/apps/shop', `admin/instances/${push.id}`],
    'apps/:app/connections': 'apps/shop/connections',
    'apps/:app/connections/:socketId': `apps/shop/connections/${alice.socketId}`,
    'apps/:app/channels': 'apps/shop/channels',
    'apps/:app/channels/*tail': 'apps/shop/channels/presence-a',
    'apps/:app/users/*tail': 'apps/shop/users/alice',
    'apps/:app/pushes': 'apps/shop/pushes?user=alice',
    'apps/:app/keys': 'apps/shop/keys',
    'apps/:app/why': `apps/shop/why?event=${encodeURIComponent(event.id)}&socket=${alice.socketId}`,
    'apps/:app/notifications': 'apps/shop/notifications',
    'apps/:app/recent': 'apps/shop/recent',
    'apps/:app/recent/*tail': `apps/shop/recent/${encodeURIComponent(event.id)}`,
    'apps/:app/refusals': 'apps/shop/refusals',
    'apps/:app/webhooks': 'apps/shop/webhooks',
    'apps/:app/webhooks/dead': 'apps/shop/webhooks/dead',
    'instances/:instance/webhooks': `instances/${push.id}/webhooks`,
    'instances/:instance/webhooks/dead': `instances/${push.id}/webhooks/dead`,
    'instances/:instance/devices': `instances/${push.id}/devices?device=${device}`,
    'instances/:instance/devices/:device/publishes': `instances/${push.id}/devices/${device}/publishes`,
    'instances/:instance/publishes': `instances/${push.id}/publishes`,
    'instances/:instance/publishes/:publish': publishPath,
    'instances/:instance/publishes/:publish/outcomes': `${publishPath}/outcomes`,
  };
  const routes = app.app.get(RouteRegistrar, { each: true, strict: false }).flatMap(({ all }) => all);
  const read = routes.flatMap(({ verb, path }) =>
    verb === 'get' && path.startsWith('/console/api/') ? [path.replace('/console/api/', '')] : [],
  );
  expect(read.filter((path) => !path.endsWith('/live')).toSorted()).toEqual(Object.keys(asked).toSorted());

  const answers = new Map([['live', streamed]]);
  for (const path of Object.values(asked).flat()) {
    const { status, text: answered } = await console_.ask('GET', path);
    expect([path, status]).toEqual([path, 200]);
    answers.set(path, answered);
  }
  expect(answers.get('admin/apps')).toContain('older-key');
  expect(answers.get('live')).toContain(alice.socketId);
  for (const [path, answered] of answers)
    for (const [name, secret] of Object.entries(secrets))
      expect([path, name, answered.includes(secret)]).toEqual([path, name, false]);
});
