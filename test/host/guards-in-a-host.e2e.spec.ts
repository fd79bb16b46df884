import {
  Body,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  Module,
  Post,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { createHash, createHmac } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import Pusher from 'pusher';
import {
  type App,
  ChannelsModule,
  CurrentApp,
  Parameters,
  signedQuery,
  SignedRequestGuard,
  TriggerEvent,
} from 'rookery/channels';
import { PresenceModule } from 'rookery/presence';
import { InterestsPublish, PublishModule } from 'rookery/publish';
import {
  CurrentInstance,
  CurrentUserId,
  DevicesService,
  type Instance,
  InstanceGuard,
  InstanceKeyGuard,
  PushDeviceModule,
  UserTokenGuard,
} from 'rookery/push-device';
import { instance, otherInstance, platformAdapters } from '../support/push-app.js';

const app = { id: '3', key: 'key', secret: 'secret' };

@Controller('host')
class HostController {
  @Get('my/:instanceId')
  @UseGuards(UserTokenGuard)
  my(@CurrentUserId() userId: string, @CurrentInstance() { id }: Instance) {
    return { userId, id };
  }

  @Get('of/:instanceId/:userId')
  @UseGuards(UserTokenGuard)
  of(@CurrentUserId() userId: string) {
    return { userId };
  }

  @Post('admin/:instanceId')
  @UseGuards(InstanceKeyGuard)
  admin(@CurrentInstance() { id }: Instance, @Body() body: unknown) {
    return { id, body };
  }

  @Get('known/:instanceId')
  @UseGuards(InstanceGuard)
  known(@CurrentInstance() { id }: Instance) {
    return { id };
  }

  @Get('unnamed')
  @UseGuards(InstanceGuard)
  unnamed() {}

  @Post('stats/:appId')
  @UseGuards(SignedRequestGuard)
  stats(@CurrentApp() { id }: App, @Parameters() parameters: object) {
    return { id, parameters };
  }

  @Post('publish')
  publish(@Body(new ValidationPipe({ transform: true })) publish: InterestsPublish) {
    return { isInstance: publish instanceof InterestsPublish, interests: publish.interests };
  }

  @Post('publish/whole')
  whole(@Body(new ValidationPipe({ whitelist: true })) publish: InterestsPublish) {
    return publish;
  }

  @Post('publish/strict')
  strict(
    @Body(new ValidationPipe({ whitelist: true, forbidNonWhitelisted: true, transform: true }))
    publish: InterestsPublish,
  ) {
    return publish;
  }

  @Post('trigger')
  trigger(@Body(new ValidationPipe()) event: TriggerEvent) {
    return { name: event.name };
  }
}

@Module({
  imports: [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [app] }),
    PushDeviceModule.forRoot({ instances: [instance, otherInstance] }),
    PublishModule.forRoot(),
  ],
  controllers: [HostController],
})
class HostModule {}

const running: { close: () => Promise<unknown> }[] = [];
afterEach(() => Promise.all(running.splice(0).map((each) => each.close())));

async function start(
  platform: keyof typeof platformAdapters = 'Fastify',
  change: (builder: TestingModuleBuilder) => TestingModuleBuilder = (builder) => builder,
) {
  const module = await change(Test.createTestingModule({ imports: [HostModule] })).compile();
  const host = module.createNestApplication(platformAdapters[platform](), { logger: false, rawBody: true });
  running.push(host);
  await host.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${(host.getHttpServer().address() as AddressInfo).port}`;
  const call = async (method: string, path: string, authorization = '', body?: string) => {
    const headers = { ...(authorization && { authorization }), ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(url + path, { method, headers, body });
    return { status: response.status, json: JSON.parse((await response.text()) || 'null') };
  };
  return { host, url, call };
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
function tokenOf(sub: string, { id, secretKey } = instance): string {
  const iss = `https://${id}.pushnotifications.pusher.com`;
  const signed = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url({ sub, iss, exp: 4_000_000_000 })}`;
  return `Bearer ${signed}.${createHmac('sha256', secretKey).update(signed).digest('base64url')}`;
}

/** The path with what signs it, as the server SDKs do it. */
function signed(method: string, path: string, body = '', secret = app.secret): string {
  const digest = body && `&body_md5=${createHash('md5').update(body).digest('hex')}`;
  const query = `auth_key=${app.key}&auth_timestamp=${Math.floor(Date.now() / 1000)}&auth_version=1.0${digest}`;
  const signature = createHmac('sha256', secret).update(`${method}\n${path}\n${query}`).digest('hex');
  return `${path}?${query}&auth_signature=${signature}`;
}

describe.each(['Fastify', 'Express'] as const)("on a host's own routes on %s", (platform) => {
  it('UserTokenGuard provides the user of a token, and the instance', async () => {
    const { call } = await start(platform);
    const path = `/host/my/${instance.id}`;
    expect(await call('GET', path, tokenOf('alice'))).toEqual({
      status: 200,
      json: { userId: 'alice', id: instance.id },
    });
    expect(await call('GET', path)).toMatchObject({
      status: 401,
      json: { error: 'Unauthorized', description: 'Authorization header is missing.' },
    });
    expect(await call('GET', path, tokenOf('alice', otherInstance))).toMatchObject({ status: 403 });
    expect(await call('GET', '/host/my/x', tokenOf('alice'))).toMatchObject({ status: 400 });
  });

  it('UserTokenGuard refuses requests in the name of another user', async () => {
    const { call } = await start(platform);
    const path = `/host/of/${instance.id}`;
    expect(await call('GET', `${path}/alice`, tokenOf('alice'))).toMatchObject({ status: 200 });
    expect(await call('GET', `${path}/bob`, tokenOf('alice'))).toMatchObject({
      status: 403,
      json: { error: 'Forbidden', description: 'The path names another user than the JWT.' },
    });
  });

  it("InstanceKeyGuard requires the instance's secret key, and leaves the body to the host", async () => {
    const { call } = await start(platform);
    const path = `/host/admin/${instance.id.toUpperCase()}`;
    expect(await call('POST', path, `Bearer ${instance.secretKey}`, '{"a":1}')).toEqual({
      status: 201,
      json: { id: instance.id, body: { a: 1 } },
    });
    expect(await call('POST', path)).toMatchObject({ status: 400, json: { error: 'Incomplete Request' } });
    expect(await call('POST', path, 'Bearer wrong')).toMatchObject({
      status: 401,
      json: { description: 'Incorrect Secret Key' },
    });
  });

  it('InstanceGuard finds the instance of the path', async () => {
    const { call } = await start(platform);
    expect(await call('GET', `/host/known/${instance.id}`)).toMatchObject({ status: 200 });
    expect(await call('GET', `/host/known/${crypto.randomUUID()}`)).toMatchObject({ status: 404 });
    expect(await call('GET', '/host/unnamed')).toMatchObject({ status: 500 });
  });

  it('SignedRequestGuard provides the app of a signed request, with and without a body', async () => {
    const { call } = await start(platform);
    const body = '{"a": 1}';
    const answer = { status: 201, json: { id: '3', parameters: { a: 1 } } };
    expect(await call('POST', signed('POST', '/host/stats/3', body), '', body)).toEqual(answer);
    expect(await call('POST', signed('POST', '/host/stats/3'))).toMatchObject({
      status: 201,
      json: { parameters: {} },
    });
    expect(await call('POST', signed('POST', '/host/stats/4'))).toMatchObject({ status: 401 });
    expect(await call('POST', signed('POST', '/host/stats/3', '', 'wrong'))).toMatchObject({ status: 401 });
    expect(await call('POST', signed('POST', '/host/stats/3', body), '', '{"a": 2}')).toMatchObject({ status: 401 });
  });

  it('SignedRequestGuard accepts a request that signedQuery signed', async () => {
    const { call, url } = await start(platform);
    const path = '/host/stats/3';
    const ask = (query: string, body?: string) => call('POST', `${path}?${query}`, '', body);
    expect(await ask(signedQuery(app, { method: 'POST', path }))).toMatchObject({ status: 201 });
    const [body, query] = ['{"from": "mönday"}', { Zone: 'a b+c&d=é%', limit: 5 }];
    const both = { method: 'POST', path, query, body };
    expect(await ask(signedQuery(app, both), body)).toMatchObject({
      status: 201,
      json: { parameters: { from: 'mönday', Zone: 'a b+c&d=é%', limit: '5' } },
    });
    expect(await ask(signedQuery(app, both), '{}')).toMatchObject({ status: 401 });
    expect(await ask(`${signedQuery(app, both)}&limit=6`, body)).toMatchObject({ status: 401 });
    expect(await ask(signedQuery({ ...app, secret: 'other' }, both), body)).toMatchObject({ status: 401 });
    // As the official library does it, but for the time.
    const { port } = new URL(url);
    const pusher = new Pusher({ appId: '3', ...app, host: '127.0.0.1', port });
    const signedByLibrary = new URLSearchParams(pusher.createSignedQueryString({ method: 'POST', path, body }));
    const own = new URLSearchParams(signedQuery(app, { method: 'POST', path, body }));
    expect([...own.keys()].sort()).toEqual([...signedByLibrary.keys()].sort());
    expect(own.get('body_md5')).toBe(signedByLibrary.get('body_md5'));
  });

  it("a host's own ValidationPipe reads the classes of the bodies", async () => {
    const { call } = await start(platform);
    const publish = (body: object) => call('POST', '/host/publish', '', JSON.stringify(body));
    const fine = { interests: ['a'], fcm: { notification: {}, time_to_live: 5 } };
    expect(await publish(fine)).toEqual({ status: 201, json: { isInstance: true, interests: ['a'] } });
    for (const wrong of [{ interests: ['a'] }, { ...fine, interests: ['a b'] }, { ...fine, fcm: { time_to_live: -1 } }])
      expect(await publish(wrong)).toMatchObject({ status: 400 });
    expect(await call('POST', '/host/trigger', '', '{"name":"n","data":"d"}')).toMatchObject({ status: 201 });
    expect(await call('POST', '/host/trigger', '', '{"data":"d"}')).toMatchObject({
      status: 400,
      json: { message: ['name must be a text that is not empty'] },
    });
  });

  it.each(['whole', 'strict'])(
    "a host's own ValidationPipe that strips unknown fields keeps payloads: %s",
    async (of) => {
      const { call } = await start(platform);
      const ask = (body: object) => call('POST', `/host/publish/${of}`, '', JSON.stringify(body));
      const publish = {
        interests: ['a'],
        apns: { aps: { alert: 'hi' }, orderId: 7, pusher: { disable_delivery_tracking: true, more: 1 } },
        fcm: { notification: { title: 'hi' }, android: { priority: 'HIGH' } },
        web: { notification: { title: 'hi', tag: 'orders' }, data: { orderId: 7 }, time_to_live: 60 },
      };
      expect(await ask(publish)).toEqual({ status: 201, json: publish });
      const refused = async (body: object) => (await ask({ ...publish, ...body })).json.message;
      expect(await refused({ fcm: { time_to_live: -1 } })).toEqual(['fcm.time_to_live must not be less than 0']);
      expect(await refused({ web: { notification: { title: 7 } } })).toEqual([
        'web.notification.title must be a string',
      ]);
      expect(await refused({ web: { data: { pusher: {} } } })).toEqual(['web.data.pusher must not be there']);
      expect(await refused({ apns: 'hi' })).toEqual(['apns must be an object']);
    },
  );
});

describe('an overridden guard', () => {
  @Injectable()
  class OwnTokens extends UserTokenGuard {
    override async canActivate(context: ExecutionContext): Promise<boolean> {
      const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
      return headers['authorization'] === 'ticket 7' || super.canActivate(context);
    }
  }
  const everybody: CanActivate = { canActivate: () => true };

  it("replaces ours on the APIs' routes", async () => {
    const { call, host } = await start('Fastify', (builder) =>
      builder.overrideGuard(InstanceKeyGuard).useValue(everybody).overrideGuard(SignedRequestGuard).useValue(everybody),
    );
    const path = `/publish_api/v1/instances/${instance.id}/publishes`;
    const body = '{"interests":["a"],"fcm":{}}';
    expect(await call('POST', path, 'Bearer wrong', body)).toMatchObject({ status: 200 });
    const { id } = await host.get(DevicesService).register(instance.id, { platform: 'fcm', token: 't', metadata: {} });
    expect(await call('PUT', `/device_api/v1/instances/${instance.id}/devices/fcm/${id}/user`)).toMatchObject({
      status: 401,
    });
  });

  it('may be a class of the host that also calls ours', async () => {
    const { call } = await start('Fastify', (builder) => builder.overrideGuard(UserTokenGuard).useClass(OwnTokens));
    expect(await call('GET', `/host/my/${instance.id}`, tokenOf('alice'))).toMatchObject({ status: 200 });
    expect(await call('GET', `/host/of/${instance.id}/bob`, tokenOf('alice'))).toMatchObject({ status: 403 });
  });
});

it('leaves the APIs to the official SDK', async () => {
  const { url } = await start();
  const pusher = new Pusher({ appId: '3', key: 'key', secret: 'secret', host: '127.0.0.1', port: new URL(url).port });
  expect((await pusher.trigger('news', 'headline', 'hi')).status).toBe(200);
});
