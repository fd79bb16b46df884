import { type DynamicModule, type INestApplication, Injectable, type Provider, type Type } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import Pusher from 'pusher';

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, it } from 'vitest';
import { ChannelAuthorizer, UserAuthenticator } from 'rookery/authorization';
import { AppRepository, ChannelsModule, EventsService, SubscriptionsService, TypedEvents } from 'rookery/channels';
import { dataOf, defineEvents } from '@rookery/client/events';
import { NotificationsService } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { RookeryTesting } from '@rookery/testing';
import { StorageHealth } from 'rookery/typeorm';
import { createHost, listen } from '../support/embedding-host.js';
import { PusherJs } from '../support/pusher-js.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { AppModule } from './embedding/app.module.js';
import { LoginGuard } from './embedding/login.guard.js';
import { Mentions, notifying } from './embedding/mentions.js';
import { News } from './embedding/news.js';
import { configured } from './embedding/options-from-elsewhere.js';
import { production } from './embedding/production.js';
import { Rooms } from './embedding/rooms.js';
import { RoomsController } from './embedding/rooms.controller.js';
import { serve } from './embedding/servers.js';
import { staffConsole, StaffGuard } from './embedding/staff.guard.js';
import { documented } from './embedding/swagger.js';
import { AppsFromMyDatabase, namedOnce, overridden, shapes, Tenants, TenantsModule } from './embedding/tenants.js';

// What docs/embedding.md shows, run. That it shows this is what snippets.spec.ts looks after.

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).toReversed()) await end();
});

async function host(imports: readonly (Type | DynamicModule)[], providers: Provider[] = []): Promise<INestApplication> {
  const { app } = await createHost({ platform: 'Express', imports: [...imports], providers });
  ended.push(() => app.close());
  return app;
}

it('tells a page its first event', async () => {
  const app = await host([AppModule]);
  const { port } = await listen(app);
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const location = { hostname: '127.0.0.1', port, protocol: 'http:' };
  const page: Record<string, unknown> = { Pusher: PusherJs, location, console: { log } };
  runInNewContext(`${readFileSync(join(import.meta.dirname, 'embedding/page.js'), 'utf8')}; page = { pusher };`, page);
  const { pusher } = page['page'] as { pusher: PusherJs };
  ended.push(() => pusher.disconnect());
  await until(() => pusher.channel('news').subscribed, 'the page has subscribed');
  await app.get(News).tell('Fresh bread');
  await until(() => lines.length > 0, 'the page has it');
  expect(lines).toEqual(['Fresh bread']);
});

it('connects clients on a server that the application has made itself', async () => {
  const server = await serve(0);
  ended.push(() => server.close().closeAllConnections());
  await until(() => server.listening, 'the server listens');
  const { port } = server.address() as AddressInfo;
  const client = new PusherJs('app-key', {
    cluster: 'self',
    wsHost: '127.0.0.1',
    wsPort: port,
    forceTLS: false,
    enabledTransports: ['ws'],
  });
  ended.push(() => client.disconnect());
  await until(() => client.connection.state === 'connected', 'the page is connected');
});

it('tracks members of rooms, and empty rooms', async () => {
  const rookery = await RookeryTesting.start([AppModule]);
  ended.push(() => rookery.close());
  const { open } = rookery.get(Rooms);
  const client = await rookery.connect();
  await client.subscribe('presence-room.kitchen', { id: 'alice' });
  await until(() => open.get('presence-room.kitchen')?.has('alice') === true, 'Alice is in the kitchen');
  client.unsubscribe('presence-room.kitchen');
  await rookery.clock.advance(2000);
  expect(open.size).toBe(1);
  await rookery.clock.advance(2000);
  await until(() => open.size === 0, 'nobody is');
});

it("answers 400 for an invalid room, and 500 for the application's own faults", async () => {
  const { app } = await createHost({ imports: [AppModule], controllers: [RoomsController] });
  ended.push(() => app.close());
  const { url } = await listen(app);
  const body = JSON.stringify({ text: 'Hello' });
  const answer = (room: string, sent = body) =>
    fetch(`${url}/rooms/${room}/notes`, {
      method: 'POST',
      body: sent,
      headers: { 'content-type': 'application/json' },
    });
  expect((await answer('kitchen')).status).toBe(204);
  expect(await (await answer('the%20kitchen')).json()).toMatchObject({ statusCode: 400, message: 'No such room' });
  expect((await answer('kitchen', JSON.stringify({ text: 'x'.repeat(20_000) }))).status).toBe(500);
});

it('shows the console to users that a guard accepts', async () => {
  const app = await host([AppModule, staffConsole], [StaffGuard]);
  const { port } = await listen(app);
  const ask = async (headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${port}/console/api/overview`, { headers })).status;
  expect([await ask({}), await ask({ 'x-staff': 'yes' })]).toEqual([403, 200]);
});

it("finds apps in the reader's repository", async () => {
  const found = async (imports: DynamicModule[], id: string) => (await host(imports)).get(AppRepository).findById(id);
  expect(await found(configured, 'configured')).toMatchObject({ key: 'configured-key' });
  expect(await found(overridden, 'tenant')).toMatchObject({ key: 'tenant-key' });
});

it('needs the name of the app and of the instance only once', async () => {
  @Injectable()
  class Everyone {
    @ChannelAuthorizer('private-{name}')
    mayListen() {
      return true;
    }
    @UserAuthenticator()
    user() {
      return { id: 'ann' };
    }
  }
  const app = await host(namedOnce, [Everyone]);
  const { port, url } = await listen(app);
  const client = await SocketClient.connect(port, app.get(Tenants).one({ id: 'tenant' }));
  ended.push(() => client.close());

  const body = new URLSearchParams({ socket_id: client.socketId, channel_name: 'private-news' });
  const answer = await fetch(`${url}/pusher/auth`, { method: 'POST', body });
  const { auth } = (await answer.json()) as { auth: string };
  client.send({ event: 'pusher:subscribe', data: { channel: 'private-news', auth } });
  await client.next('pusher_internal:subscription_succeeded');
  const token = await fetch(`${url}/pusher/beams-auth?user_id=ann`);
  expect(await token.json()).toEqual({ token: expect.any(String) });

  const events = defineEvents({ 'private-news': { headline: dataOf<string>() } });
  await new TypedEvents(app.get(EventsService), events).trigger('private-news', 'headline', 'hi');
  expect(await client.next('headline')).toMatchObject({ data: 'hi' });
  await app.get(SubscriptionsService).revoke('ann', 'private-news');
  const id = await app.get(NotificationsService).notify('ann', { event: { name: 'mention', data: {} } });
  expect(await app.get(NotificationsService).status(id)).toMatchObject({ id });
});

it.each(Object.entries(shapes))('accepts an override as %s', async (_, appRepository) => {
  const module = ChannelsModule.forRoot({ imports: [TenantsModule], appRepository });
  const app = await host([PresenceModule.forRoot(), module], [Tenants]);
  expect(app.get(AppRepository)).toBeInstanceOf(AppsFromMyDatabase);
});

it('stores in a database in production', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-embedding-'));
  ended.push(() => rmSync(folder, { recursive: true }));
  const app = await host(production(`sqlite:${join(folder, 'rookery.db')}`));
  await app.init();
  await expect(app.get(StorageHealth).check()).resolves.toBeUndefined();
});

it('pushes a mention to an absent user', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-embedding-'));
  ended.push(() => rmSync(folder, { recursive: true }));
  class ChatModule {}
  const imports = notifying(`sqlite:${join(folder, 'rookery.db')}`);
  const rookery = await RookeryTesting.start([...imports, { module: ChatModule, providers: [Mentions] }]);
  ended.push(() => rookery.close());
  await rookery.register({ platform: 'web', user: 'ann' });
  await rookery.get(Mentions).tell('ann', 'kitchen', 'Bob', 'Tea?');
  // The push is due after five seconds. From then on the database needs real time, and until() would count skipped time.
  await rookery.clock.advance(6000);
  await until(() => rookery.pushes.length > 0, 'it is pushed', 60_000);
  expect(rookery.pushes).toMatchObject([{ user: 'ann', payload: { notification: { title: 'Bob in the kitchen' } } }]);
});

it('lets only the SDKs pass a login guard', async () => {
  const app = await host([AppModule], [{ provide: APP_GUARD, useClass: LoginGuard }]);
  const { url, port } = await listen(app);
  const library = new Pusher({
    appId: 'app-id',
    key: 'app-key',
    secret: 'app-secret',
    host: '127.0.0.1',
    port: `${port}`,
  });
  expect((await library.get({ path: '/channels' })).status).toBe(200);
  expect((await fetch(`${url}/apps/app-id/channels`)).status).toBe(401);
});

it('adds its routes to a Swagger document on request', async () => {
  expect(Object.keys(documented(await host([AppModule])).paths)).toContain('/apps/{appId}/events');
});
