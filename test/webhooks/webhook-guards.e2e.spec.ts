import {
  Controller,
  HttpCode,
  Injectable,
  type NestApplicationOptions,
  Post,
  type Type,
  UseGuards,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type AppConfig,
  AppRepository,
  ChannelsModule,
  type ChannelsWebhook,
  CurrentWebhook,
  WebhookGuard,
} from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { type PublishWebhook, PublishWebhookGuard } from 'rookery/publish';
import { DeviceRepository } from 'rookery/push-device';
import { platforms } from '../support/channels-host.js';
import { startChannels, testApp } from '../support/channels-server.js';
import { listen } from '../support/embedding-host.js';
import { startPublishApp } from '../support/publish-app.js';
import { instance } from '../support/push-app.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const otherApp = { id: '4', key: 'other-key', secret: 'other-secret' };
const { key, secret } = testApp;
const pushSecrets = ['new secret', 'old secret'];

const received: unknown[] = [];

@Controller('hooks')
class Hooks {
  @Post('channels')
  @HttpCode(204)
  @UseGuards(new WebhookGuard([{ key, secret }, otherApp]))
  channels(@CurrentWebhook() { events }: ChannelsWebhook) {
    for (const event of events) {
      if (event.name === 'member_added') received.push(`${event.user_id} came to ${event.channel}`);
      if (event.name === 'client_event') received.push(`${event.event} with ${event.data}`);
    }
  }

  @Post('push')
  @HttpCode(204)
  @UseGuards(new PublishWebhookGuard(pushSecrets))
  push(@CurrentWebhook() webhook: PublishWebhook) {
    if (webhook.type === 'v1.PublishToUsersAttempt') received.push(webhook.payload.users_delivered_to_gateway);
    else received.push([webhook.type, webhook.payload.user_id, webhook.custom_data, webhook.metadata.product]);
  }

  @Post('unguarded')
  unguarded(@CurrentWebhook() _webhook: ChannelsWebhook) {}
}

@Controller('hooks')
class HooksOfKnownApps {
  @Post('channels')
  @HttpCode(204)
  @UseGuards(WebhookGuard)
  channels(@CurrentWebhook() webhook: ChannelsWebhook) {
    received.push(webhook);
  }
}

@Injectable()
class Tenants extends AppRepository {
  findById(id: string): AppConfig | null {
    return id === otherApp.id ? { ...otherApp, keys: [{ key: 'second-key', secret: 'second-secret' }] } : null;
  }
  findByKey(asked: string): Promise<AppConfig | null> {
    return Promise.resolve(asked === otherApp.key || asked === 'second-key' ? this.findById(otherApp.id) : null);
  }
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
  received.length = 0;
});

async function receive(
  controller: Type,
  { platform = 'Fastify', imports = [], rawBody = true }: NestApplicationOptions & Receiving = {},
): Promise<string> {
  const module = { module: class ReceivingModule {}, controllers: [controller], imports: [...imports] };
  const app = await NestFactory.create(module, platforms[platform](), { rawBody, logger: false, abortOnError: false });
  closing.push(() => app.close());
  return (await listen(app)).url;
}

interface Receiving {
  readonly platform?: keyof typeof platforms;
  readonly imports?: readonly ReturnType<typeof ChannelsModule.forRoot>[];
}

const hmac = (algorithm: string, with_: string, body: string) =>
  createHmac(algorithm, with_).update(body).digest('hex');

async function post(url: string, body: string, headers: Readonly<Record<string, string | undefined>>) {
  const given = Object.entries(headers).filter((each): each is [string, string] => each[1] !== undefined);
  const answer = await fetch(url, { method: 'POST', headers: [['content-type', 'application/json'], ...given], body });
  return { status: answer.status, text: await answer.text() };
}

const signed = (body: string, as = testApp) => ({
  'x-pusher-key': as.key,
  'x-pusher-signature': hmac('sha256', as.secret, body),
});

describe.each(['Fastify', 'Express'] as const)('WebhookGuard on %s', (platform) => {
  it('passes the typed events of a server to the method', async () => {
    const url = await receive(Hooks, { platform });
    const webhooks = [{ url: `${url}/hooks/channels` }];
    const server = await startChannels({ apps: [{ ...testApp, clientEvents: true, webhooks }] });
    closing.push(() => server.close());
    const alice = await SocketClient.connect(server.port);
    closing.push(() => alice.close());
    await alice.subscribe('presence-room', { user_id: 'älice' });
    await until(() => received.length === 1, 'the member has come');
    alice.send({ event: 'client-typing', channel: 'presence-room', data: { in: 'kitchen' } });
    await until(() => received.length === 2, 'both events have come');
    expect(received).toEqual(['älice came to presence-room', 'client-typing with {"in":"kitchen"}']);
  });

  it('refuses bodies that are not signed with the secret of a known key', async () => {
    const url = `${await receive(Hooks, { platform })}/hooks/channels`;
    const body = JSON.stringify({ time_ms: 1, events: [{ name: 'member_added', channel: 'c', user_id: 'u' }] });
    const right = signed(body);
    const refused = { status: 401, text: expect.stringContaining('X-Pusher-Key') as string };
    for (const headers of [
      {},
      { 'x-pusher-key': right['x-pusher-key'] },
      { 'x-pusher-signature': right['x-pusher-signature'] },
      { ...right, 'x-pusher-key': otherApp.key },
      { ...right, 'x-pusher-key': 'unknown' },
      { ...right, 'x-pusher-signature': right['x-pusher-signature'].slice(1) },
      signed(`${body} `),
    ])
      expect(await post(url, body, headers)).toMatchObject(refused);
    expect(received).toEqual([]);
    expect(await post(url, body, right)).toMatchObject({ status: 204 });
    expect(await post(url, body, signed(body, otherApp))).toMatchObject({ status: 204 });
    expect(received).toHaveLength(2);
  });

  it("answers 400 to a signed body that is not a webhook, such as a client's token", async () => {
    const url = `${await receive(Hooks, { platform })}/hooks/channels`;
    for (const body of ['{}', '[]', '{"events":{}}', '"123.456:private-room"'])
      expect(await post(url, body, signed(body))).toMatchObject({ status: 400 });
  });

  it('finds the apps of ChannelsModule, also those of a repository, and their other keys', async () => {
    const channels = ChannelsModule.forRoot({ apps: [testApp], appRepository: Tenants });
    const url = `${await receive(HooksOfKnownApps, { platform, imports: [PresenceModule.forRoot(), channels] })}/hooks/channels`;
    const body = '{"time_ms":1,"events":[]}';
    for (const each of [testApp, otherApp, { ...otherApp, key: 'second-key', secret: 'second-secret' }]) {
      expect(await post(url, body, signed(body, each))).toMatchObject({ status: 204 });
      expect(received.at(-1)).toEqual({ key: each.key, time_ms: 1, events: [] });
    }
    const mixed = { ...otherApp, secret: 'second-secret' };
    expect(await post(url, body, signed(body, mixed))).toMatchObject({ status: 401 });
  });
});

describe('PublishWebhookGuard', () => {
  it('passes the typed events of an instance to the method', async () => {
    const url = await receive(Hooks);
    const events = ['v1.UserNotificationOpen', 'v1.PublishToUsersAttempt'] as const;
    const webhooks = [{ url: `${url}/hooks/push`, secret: 'old secret', events, customData: { team: 7 } }];
    const app = await startPublishApp({ instances: [{ ...instance, webhooks }] });
    closing.push(() => app.close());
    const deviceId = await app.registered();
    await app.app.get(DeviceRepository).setUser(instance.id, 'fcm', deviceId, 'carol');
    const { json } = await app.publish({ users: ['carol'], fcm: {} }, {}, '/users');
    await until(() => received.length === 1, 'the attempt is told');
    const { publishId } = json as { publishId: string };
    await app.report({ publishId, deviceId, userId: 'carol', event: 'open', timestampSecs: 1 });
    await until(() => received.length === 2, 'the open is told');
    expect(received).toEqual([['carol'], ['v1.UserNotificationOpen', 'carol', { team: 7 }, 'beams']]);
  });

  it('refuses bodies that are not signed with one of its secrets, and answers 400 if they are not webhooks', async () => {
    const url = `${await receive(Hooks)}/hooks/push`;
    const body = JSON.stringify({ payload: {}, metadata: { event_type: 'v1.UserNotificationOpen' }, custom_data: {} });
    const from = (secretOfIt: string, text = body) => ({ 'webhook-signature': hmac('sha1', secretOfIt, text) });
    for (const headers of [{}, from('wrong'), from('new secret', '{}')])
      expect(await post(url, body, headers)).toMatchObject({ status: 401 });
    for (const each of pushSecrets) expect(await post(url, body, from(each))).toMatchObject({ status: 204 });
    // The type is that of the signed body, whatever the header says.
    expect(await post(url, body, { ...from('new secret'), 'webhook-event-type': 'other' })).toMatchObject({
      status: 204,
    });
    expect(received.map((each) => (each as unknown[])[0])).toEqual(Array(3).fill('v1.UserNotificationOpen'));
    expect(await post(url, '{}', from('new secret', '{}'))).toMatchObject({ status: 400 });
  });
});

it('names a missing guard or missing raw body', async () => {
  const lines: string[] = [];
  const keep = (text: unknown) => void lines.push(String(text));
  const logger = { log: () => undefined, warn: keep, error: keep };
  const module = { module: class Without {}, controllers: [Hooks] };
  const app = await NestFactory.create(module, platforms.Express(), { logger, abortOnError: false });
  closing.push(() => app.close());
  const { url } = await listen(app);
  expect(await post(`${url}/hooks/unguarded`, '{}', {})).toMatchObject({ status: 500 });
  expect(lines.join('\n')).toContain('@CurrentWebhook() needs @UseGuards(new WebhookGuard({ key, secret }))');
  expect(await post(`${url}/hooks/channels`, '{}', signed('{}'))).toMatchObject({ status: 500 });
  expect(lines.join('\n')).toContain('NestFactory.create(AppModule, { rawBody: true })');
});
