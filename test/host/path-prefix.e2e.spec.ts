import { Controller, Get, type INestApplication, UseGuards } from '@nestjs/common';
import Pusher from 'pusher';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TriggerFastPath } from '../../apps/server/src/fast-path/trigger-fast-path.js';
import { ChannelsModule, SignedRequestGuard } from 'rookery/channels';
import { NotificationsModule } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { PushDeviceModule } from 'rookery/push-device';
import { type ApiRequest, overSocket, signed } from '../support/channels-api.js';
import { startChannels, testApp } from '../support/channels-server.js';
import { createHost, listen } from '../support/embedding-host.js';
import { instance } from '../support/push-app.js';
import { SocketClient } from '../support/socket-client.js';

// soketi's PATH_PREFIX and Reverb's REVERB_SERVER_PATH apply to sockets and the HTTP API alike.

/** Routes of the host that look like the API's, but are none. */
@Controller()
@UseGuards(SignedRequestGuard)
class ReportsController {
  @Get(['apps/:appId/reports', 'ws/apps/:appId/reports'])
  reports(): object {
    return {};
  }
}

async function host(platform: 'Fastify' | 'Express', bypassRouter = false) {
  const imports = [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [testApp, { ...testApp, id: '4', key: 'k4' }], path: '/ws' }),
    PushDeviceModule.forRoot({ instances: [instance] }),
    PublishModule.forRoot(),
    NotificationsModule.forRoot({ apps: [{ app: testApp.id, instance: instance.id }] }),
  ];
  const providers = bypassRouter ? [TriggerFastPath] : [];
  const { app } = await createHost({ platform, imports, controllers: [ReportsController], providers });
  return { app, ...(await listen(app)) };
}

/** The same request, sent to a path with a prefix. */
const under = (prefix: string, request: ApiRequest): ApiRequest => ({ ...request, url: prefix + request.url });

const headline = { name: 'headline', channels: ['news'], data: 'hi' };
const batch = { batch: [{ name: 'headline', channel: 'news', data: 'hi' }] };

describe.each([
  ['Fastify', () => host('Fastify')],
  ['Fastify, reading triggers from their connections', () => host('Fastify', true)],
  ['Express', () => host('Express')],
] as const)('with a path, on %s', (_, start) => {
  let app: INestApplication;
  let port: number;
  beforeAll(async () => ({ app, port } = await start()));
  afterAll(() => app.close());

  const statusOf = async (request: ApiRequest) => (await overSocket({ port }, request)).status;
  const signedAs = (signedPath: string) => signed('POST', '/events', headline, { signedPath });

  it('the HTTP API answers under the path, as the sockets do', async () => {
    const alice = await SocketClient.open(port, testApp, undefined, '/ws');
    await alice.subscribe('news');
    // As libraries do that sign the path to which they send.
    expect(await statusOf(under('/ws', signedAs('/ws/apps/3/events')))).toBe(200);
    expect(await alice.next('headline')).toMatchObject({ data: 'hi' });
    alice.close();
  });

  it.each([
    ['a trigger', signed('POST', '/events', headline)],
    ['a batch', signed('POST', '/batch_events', batch)],
    ['the list of channels', signed('GET', '/channels')],
    ['the members of a channel', signed('GET', '/channels/presence-a/users')],
    ['terminate', signed('POST', '/users/a%20b/terminate_connections', '{}')],
    ['a notification', signed('POST', '/notifications', { userId: 'alice', event: { name: 'e', data: {} } })],
  ])('takes %s signed without the path, as PHP libraries and Reverb sign it', async (_what, request) => {
    expect(await statusOf(under('/ws', request))).toBeLessThan(300);
    expect(await statusOf(request)).toBeLessThan(300);
  });

  it('serves the official library, whose host may end in a path', async () => {
    const pusher = new Pusher({ appId: testApp.id, ...testApp, host: `127.0.0.1:${port}/ws` });
    expect((await pusher.trigger('news', 'headline', 'hi')).status).toBe(200);
    expect((await pusher.triggerBatch([{ channel: 'news', name: 'headline', data: 'hi' }])).status).toBe(200);
    expect((await pusher.get({ path: '/channels' })).status).toBe(200);
  });

  it.each([
    ['another path', '/ws/apps/3/channels'],
    ['another app', '/apps/4/events'],
    ['another prefix', '/live/apps/3/events'],
    ['the prefix twice', '/ws/ws/apps/3/events'],
    ['a prefix without its slash', 'ws/apps/3/events'],
  ])('refuses the signature of %s', async (_what, signedPath) => {
    expect(await statusOf(under('/ws', signedAs(signedPath)))).toBe(401);
    expect(await statusOf(signedAs(signedPath))).toBe(401);
  });

  it('serves no other prefix', async () => {
    for (const prefix of ['/live', '/ws/ws', '/wss', '/w'])
      expect(await statusOf(under(prefix, signed('POST', '/events', headline)))).toBe(404);
  });

  it('refuses a body that is too large there, too', async () => {
    const request = signed('POST', '/events', { ...headline, data: 'x'.repeat(1_200_000) });
    const expected = await overSocket({ port }, request);
    expect(expected.status).toBe(413);
    expect(await overSocket({ port }, under('/ws', request))).toEqual(expected);
  });

  it("lets a signature cover one of the host's own routes only", async () => {
    const reports = async ({ url }: ApiRequest) => (await fetch(`http://127.0.0.1:${port}${url}`)).status;
    const request = signed('GET', '/reports');
    expect(await reports(request)).toBe(200);
    const prefixed = signed('GET', '/reports', undefined, { signedPath: '/ws/apps/3/reports' });
    expect(await reports(under('/ws', prefixed))).toBe(200);
    expect(await reports(under('/ws', request))).toBe(401);
  });
});

it('with a global prefix, takes a signature with and without it', async () => {
  const options = { apps: [testApp], useGlobalPrefix: true, path: '/api' };
  const prefixed = await startChannels(options, (app) => void app.setGlobalPrefix('api'));
  const [plain, full] = [{}, { signedPath: `/api/apps/3/events` }].map((signing) =>
    under('/api', signed('POST', '/events', headline, signing)),
  );
  for (const request of [plain!, full!]) expect((await overSocket(prefixed, request)).status).toBe(200);
  await prefixed.close();
});

it('triggers bypass the router there, too, if they do at all', async () => {
  const routed: string[] = [];
  const server = await startChannels({ apps: [testApp], path: '/v1.0', bypassRouter: true }, (app) => {
    app
      .getHttpAdapter()
      .getInstance()
      .addHook('onRequest', async ({ url }) => void routed.push(url));
  });
  for (const prefix of ['', '/v1.0'])
    expect((await overSocket(server, under(prefix, signed('POST', '/events', headline)))).status).toBe(200);
  expect(routed).toEqual([]);
  expect((await overSocket(server, under('/v1x0', signed('POST', '/events', headline)))).status).toBe(404);
  await server.close();
});
