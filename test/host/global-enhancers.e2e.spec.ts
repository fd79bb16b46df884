import {
  type CallHandler,
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
  Injectable,
  type NestInterceptor,
  type Type,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import PushNotifications from '@pusher/push-notifications-server';
import Pusher from 'pusher';
import { map, type Observable, of, tap } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import type { HostingOptions } from '#http';
import { AuthorizationModule, CurrentUser, UserAuthenticator } from 'rookery/authorization';
import { PublishService } from 'rookery/publish';
import { testApp } from '../support/channels-server.js';
import { createHost, everyModule, listen, type Platform } from '../support/embedding-host.js';
import { instance } from '../support/push-app.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** What tests and applications wrap answers with. */
@Injectable()
class Wrap implements NestInterceptor {
  intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(map((data: unknown) => ({ data })));
  }
}

/** As Nest's CacheInterceptor: it remembers the answer to each URL that is got. */
@Injectable()
class Cache implements NestInterceptor {
  private readonly answers = new Map<string, unknown>();

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { method, url } = context.switchToHttp().getRequest<{ method: string; url: string }>();
    if (method !== 'GET') return next.handle();
    if (this.answers.has(url)) return of(this.answers.get(url));
    return next.handle().pipe(tap((answer: unknown) => this.answers.set(url, answer)));
  }
}

/** Knows the user by a header. */
class Login implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ headers: Record<string, string>; user?: object }>();
    request.user = { id: request.headers['x-user'] };
    return true;
  }
}

@Injectable()
@UseGuards(Login)
class Users {
  @UserAuthenticator()
  user(@CurrentUser() user: { id: string }) {
    return user;
  }
}

interface Host {
  readonly platform: Platform;
  readonly interceptor?: Type<NestInterceptor>;
  readonly prepare?: (app: INestApplication) => unknown;
  readonly hosting?: HostingOptions;
}

async function start({ platform, interceptor, prepare = () => {}, hosting = {} }: Host) {
  const { globalInterceptors } = hosting;
  const { app } = await createHost({
    platform,
    imports: [
      ...everyModule(hosting),
      AuthorizationModule.forRoot({ ...(globalInterceptors && { globalInterceptors }) }),
    ],
    providers: [Users, ...(interceptor ? [{ provide: APP_INTERCEPTOR, useClass: interceptor }] : [])],
  });
  prepare(app);
  closing.unshift(() => app.close());
  const { port, url } = await listen(app);
  const options = { instanceId: instance.id, secretKey: instance.secretKey, endpoint: '127.0.0.1', port };
  return {
    app,
    url,
    pusher: new Pusher({ appId: testApp.id, ...testApp, host: '127.0.0.1', port: String(port) }),
    beams: new PushNotifications(options),
    beamsAuth: (as: string, userId: string) =>
      fetch(`${url}/pusher/beams-auth?user_id=${userId}`, { headers: { 'x-user': as } }),
  };
}

describe.each<Platform>(['Fastify', 'Express'])('an application on %s', (platform) => {
  it('may wrap the answers of its routes: SDKs read those of Rookery as they are', async () => {
    const { pusher, beams, beamsAuth } = await start({ platform, interceptor: Wrap });
    expect(await beams.publishToInterests(['a'], { fcm: {} })).toEqual({ publishId: expect.any(String) });
    const triggered = await pusher.trigger('news', 'headline', 'hi', { info: 'subscription_count' });
    expect(await triggered.json()).toEqual({ channels: { news: {} } });
    expect(await (await beamsAuth('7', '7')).json()).toEqual({ token: expect.any(String) });
  });

  it('may cache the answers of its routes: no user gets the token of another', async () => {
    const { beamsAuth } = await start({ platform, interceptor: Cache });
    expect((await beamsAuth('7', '7')).status).toBe(200);
    expect((await beamsAuth('8', '7')).status).toBe(403);
  });

  it('can let its global interceptors in', async () => {
    const { beams, beamsAuth } = await start({ platform, interceptor: Wrap, hosting: { globalInterceptors: true } });
    expect(await beams.publishToInterests(['a'], { fcm: {} })).toEqual({ data: { publishId: expect.any(String) } });
    expect((await beamsAuth('7', '7')).status).toBe(500);
  });

  it('may validate everything: payloads arrive as the SDK sent them', async () => {
    const options = { whitelist: true, transform: true, validateCustomDecorators: true };
    const prepare = (app: INestApplication) => app.useGlobalPipes(new ValidationPipe(options));
    const { app, beams, pusher, url } = await start({ platform, prepare });
    const payloads = {
      apns: { aps: { alert: 'hi' }, orderId: 7 },
      fcm: { notification: { title: 'hi' }, android: { priority: 'HIGH' } },
      web: { notification: { title: 'hi', tag: 'orders' }, data: { orderId: 7 } },
    };
    const { publishId } = await beams.publishToInterests(['a'], payloads);
    expect((await app.get(PublishService).find(instance.id, publishId)).payloads).toEqual(payloads);
    expect((await pusher.trigger('news', 'headline', { nested: { data: 1 } })).status).toBe(200);
    const metadata = { sdkVersion: '1.1.1', browser: 'x' };
    const registered = await fetch(`${url}/device_api/v1/instances/${instance.id}/devices/fcm`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: 't', metadata }),
    });
    expect(registered.status).toBe(200);
  });
});
