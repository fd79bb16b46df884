import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ChannelsMetrics } from 'rookery/channels';
import { PublishMetrics } from 'rookery/publish';
import { signed, overSocket } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { startPublishApp } from '../support/publish-app.js';
import { instance, otherInstance } from '../support/push-app.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
});
afterAll(() => receiver.close());
afterEach(() => receiver.received.splice(0));

const refuse = (path: string) => receiver.reply(path, (response) => void response.writeHead(500).end());
const accept = (path: string) => receiver.reply(path, (response) => void response.end());

describe('the dead webhooks of an app', () => {
  const otherApp = { id: '4', key: 'other-key', secret: 'other-secret' };
  let server: ChannelsServer;
  let client: SocketClient;
  beforeAll(async () => {
    const webhooks = [{ url: receiver.url('/hook?token=t'), events: ['channel_occupied'] as const }];
    server = await startChannels({
      apps: [{ ...testApp, webhooks }, otherApp],
      // One try each.
      webhooks: { retryMs: 0, deadLetters: 3 },
    });
    client = await SocketClient.connect(server.port);
  });
  afterAll(() => server.close());

  const get = async (query = {}, app = testApp) => {
    const { status, text } = await overSocket(server, signed('GET', '/webhooks/dead', undefined, { app, query }));
    return { status, text, json: status === 200 ? JSON.parse(text) : undefined };
  };
  const post = async (path: string, app = testApp) =>
    overSocket(server, signed('POST', `/webhooks/dead${path}`, undefined, { app }));
  const channels = async () =>
    (await get()).json.webhooks.map(({ body }: { body: string }) => JSON.parse(body).events[0].channel);

  /** Subscribes to new channels one after the other, until their webhooks are dead. */
  async function occupy(...names: string[]): Promise<void> {
    for (const name of names) {
      await client.subscribe(name);
      await until(async () => (await channels()).includes(name), `the webhook of ${name} is dead`);
    }
  }

  it('are listed page by page, resent one by one or all, and isolated by app', async () => {
    refuse('/hook?token=t');
    await occupy('a', 'b', 'c');
    const { json: first } = await get({ limit: '2' });
    expect(first.webhooks).toHaveLength(2);
    expect(first.webhooks[0]).toEqual({
      id: expect.any(String),
      url: receiver.url('/hook'),
      body: receiver.received[0]?.rawBody,
      reason: expect.stringContaining('500'),
      diedAt: expect.any(String),
    });
    expect(Date.now() - Date.parse(first.webhooks[0].diedAt)).toBeLessThan(60_000);
    const { json: second } = await get({ cursor: first.responseMetadata.nextCursor });
    expect(second.webhooks).toHaveLength(1);
    expect(second.responseMetadata).toEqual({});

    const [one] = first.webhooks;
    expect((await get({}, otherApp)).json.webhooks).toEqual([]);
    expect(await post(`/${one.id}/resend`, otherApp)).toMatchObject({ status: 404, text: 'Webhook not found\n' });
    expect(await post('/resend', otherApp)).toMatchObject({ status: 200, text: '{"resent":0}' });

    accept('/hook?token=t');
    const before = receiver.received.length;
    expect(await post(`/${one.id}/resend`)).toMatchObject({ status: 200, text: '{"resent":1}' });
    expect(await post(`/${one.id}/resend`)).toMatchObject({ status: 404 });
    await until(() => receiver.received.length === before + 1, 'it is sent again');
    const again = receiver.received.at(-1);
    expect(again?.rawBody).toBe(one.body);
    expect(again?.headers['x-pusher-signature']).toBe(receiver.received[0]?.headers['x-pusher-signature']);
    expect(await channels()).toEqual(['b', 'c']);

    expect(await post('/resend')).toMatchObject({ status: 200, text: '{"resent":2}' });
    await until(() => receiver.received.length === before + 3, 'the others are sent again');
    expect((await get()).json).toEqual({ webhooks: [], responseMetadata: {} });
  });

  it('fail again, and the oldest are dropped beyond the limit', async () => {
    refuse('/hook?token=t');
    await occupy('d', 'e');
    expect(await post('/resend')).toMatchObject({ text: '{"resent":2}' });
    await until(async () => (await channels()).length === 2, 'both are dead again');
    await occupy('f', 'g');
    expect(await channels()).toHaveLength(3);
    const metrics = await server.app.get(ChannelsMetrics).registry.metrics();
    expect(metrics).toContain('rookery_channels_webhooks_given_up_total 9');
    expect(metrics).toContain('rookery_channels_waiting_webhooks 0');
    expect(metrics).toContain('rookery_channels_oldest_waiting_webhook_seconds 0');
  });

  it.each([
    [{ limit: '0' }, 'limit must be a whole number from 1 to 100\n'],
    [{ limit: '101' }, 'limit must be a whole number from 1 to 100\n'],
    [{ cursor: 'bmV3cw' }, 'cursor must be the nextCursor of an earlier answer\n'],
  ])('are not listed for %j', async (query, text) => {
    expect(await get(query)).toMatchObject({ status: 400, text });
  });

  it('are refused without a signature', async () => {
    const request = signed('GET', '/webhooks/dead', undefined, { signature: 'f'.repeat(64) });
    expect(await overSocket(server, request)).toMatchObject({ status: 401 });
    const foreign = signed('GET', '/webhooks/dead', undefined, { app: otherApp, appId: testApp.id });
    expect(await overSocket(server, foreign)).toMatchObject({ status: 401 });
  });
});

describe.each(['Fastify', 'Express'] as const)('the dead webhooks of an instance on %s', (platform) => {
  let app: Awaited<ReturnType<typeof startPublishApp>>;
  beforeAll(async () => {
    // Private addresses are refused, so that a webhook is given up with its first try.
    app = await startPublishApp({ platform, publish: { allowPrivateNetwork: false } });
  });
  afterAll(() => app.close());

  const call = (method: 'GET' | 'POST', path = '', of = instance, headers = {}) =>
    app.call(method, `/customer_api/v1/instances/${of.id}/webhooks/dead${path}`, {
      headers: { authorization: `Bearer ${of.secretKey}`, ...headers },
    });

  it('are listed, resent, and isolated by instance', async () => {
    const { json } = await app.publish({ interests: ['x'], webhookUrl: receiver.url('/private'), fcm: {} });
    await until(async () => (await call('GET')).json.webhooks.length === 2, 'both webhooks are given up');
    const { json: list } = await call('GET', '?limit=1');
    expect(list).toEqual({
      webhooks: [
        {
          id: expect.any(String),
          url: receiver.url('/private'),
          body: expect.stringContaining(json.publishId),
          reason: expect.stringContaining('127.0.0.1'),
          diedAt: expect.any(String),
        },
      ],
      responseMetadata: { nextCursor: expect.any(String) },
    });
    const rest = await call('GET', `?cursor=${list.responseMetadata.nextCursor}`);
    expect(rest.json.webhooks).toHaveLength(1);
    expect(rest.json.responseMetadata).toEqual({});

    const { id } = list.webhooks[0];
    expect((await call('GET', '', otherInstance)).json).toEqual({ webhooks: [], responseMetadata: {} });
    expect(await call('POST', `/${id}/resend`, otherInstance)).toMatchObject({
      status: 404,
      json: { error: 'Not found', description: 'Webhook not found' },
    });
    expect((await call('POST', '/resend', otherInstance)).json).toEqual({ resent: 0 });

    const json1 = { 'content-type': 'application/json' };
    expect(await call('POST', `/${id}/resend`, instance, json1)).toMatchObject({ status: 200, json: { resent: 1 } });
    await until(async () => (await call('GET')).json.webhooks.length === 2, 'it is given up again');
    expect((await call('POST', '/resend')).json).toEqual({ resent: 2 });
    await until(async () => (await call('GET')).json.webhooks.length === 2, 'both are given up again');
    const metrics = await app.app.get(PublishMetrics).registry.metrics();
    expect(metrics).toContain('rookery_publish_webhooks_given_up_total 5');
    expect(metrics).toContain('rookery_publish_waiting_webhooks 0');
    expect(metrics).toContain('rookery_publish_oldest_waiting_webhook_seconds 0');
    expect(receiver.at('/private')).toEqual([]);
  });

  it('require the secret key, and a valid limit and cursor', async () => {
    expect(await call('GET', '', { ...instance, secretKey: 'wrong' })).toMatchObject({ status: 401 });
    expect(await call('POST', '/resend', { ...instance, secretKey: 'wrong' })).toMatchObject({ status: 401 });
    expect(await call('GET', '?limit=0')).toMatchObject({ status: 400 });
    expect(await call('GET', '?cursor=x')).toMatchObject({ status: 400 });
    expect(await call('POST', '/unknown/resend')).toMatchObject({ status: 404 });
    expect(await call('POST', '/unknown')).toMatchObject({ status: 404 });
  });
});
