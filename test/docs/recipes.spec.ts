import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { Module } from '@nestjs/common';
import { AuthorizationModule } from 'rookery/authorization';
import { ChannelsModule } from 'rookery/channels';
import { NotificationsModule } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PublishModule } from 'rookery/publish';
import { DevicesService, PushDeviceModule } from 'rookery/push-device';
import { RookeryTesting } from '@rookery/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { until } from '../support/until.js';
import { Accounts } from './recipes/accounts.js';
import { instanceId } from './recipes/instance-id.js';
import { Moderation } from './recipes/moderation.js';
import { Shop } from './recipes/shop.js';

// What docs/recipes.md shows, run. That it shows this is what snippets.spec.ts looks after.

@Module({
  imports: [
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [{ id: 'app-id', key: 'app-key', secret: 'app-secret', clientEvents: true }] }),
    PushDeviceModule.forRoot({ instances: [{ id: instanceId, secretKey: 'secret-key' }] }),
    PublishModule.forRoot(),
    NotificationsModule.forRoot({
      apps: [{ app: 'app-id', quietHours: { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' } }],
    }),
    AuthorizationModule.forRoot(),
  ],
  providers: [Moderation, Accounts, Shop],
})
class RecipesModule {}

let rookery: RookeryTesting;
beforeAll(async () => {
  rookery = await RookeryTesting.start([RecipesModule], {
    prepare: (app) => {
      app.use((request: { user?: unknown; headers: Record<string, string> }, _: unknown, next: () => void) => {
        request.user = { id: request.headers['x-user'] };
        next();
      });
    },
  });
});
afterAll(() => rookery.close());
afterEach(() => rookery.reset());

describe('moderation', () => {
  it('closes the connections of a user who is kicked', async () => {
    const [alice, bob] = [await rookery.connect(), await rookery.connect()];
    await alice.signin({ id: 'alice' });
    await bob.signin({ id: 'bob' });
    await rookery.get(Moderation).kick('alice');
    expect(await alice.closing()).toMatchObject({ code: 4009 });
    await rookery.get(Shop).tellOne('bob', 'still here');
    expect((await bob.next('message')).data).toEqual({ text: 'still here' });
  });

  it('signs in all but banned users', async () => {
    const asks = async (user: string) => {
      const body = new URLSearchParams({ socket_id: '1.2' });
      const address = `http://127.0.0.1:${rookery.port}/pusher/user-auth`;
      return (await fetch(address, { method: 'POST', body, headers: { 'x-user': user } })).status;
    };
    expect(await asks('mallory')).toBe(200);
    await rookery.get(Moderation).ban('mallory');
    expect([await asks('mallory'), await asks('alice')]).toEqual([403, 200]);
  });

  it('takes a member off one channel', async () => {
    const alice = await rookery.connect();
    await alice.subscribe('presence-room', { id: 'alice' });
    await rookery.get(Moderation).kickFrom('presence-room', 'alice');
    expect(await alice.next('pusher:subscription_error')).toMatchObject({ channel: 'presence-room' });
  });
});

it('deletes a user with all devices', async () => {
  await rookery.register({ user: 'carol', interests: ['sale'] });
  const left = async () =>
    (await rookery.get(DevicesService).inAudience(instanceId, { users: ['carol'] }, '', 10)).devices.length;
  expect(await left()).toBe(1);
  await rookery.get(Accounts).delete('carol');
  expect(await left()).toBe(0);
});

describe('pushes', () => {
  const pushed = async () => {
    await until(() => rookery.pushes.length > 0, 'it is pushed');
    return rookery.pushes[0]!;
  };

  it('carry an image', async () => {
    await rookery.register({ interests: ['sale'] });
    await rookery.get(Shop).advertise();
    expect(JSON.stringify(await pushed())).toContain('https://shop.example/shoes.png');
  });

  it('carry a sound, and name a notification channel', async () => {
    await rookery.register({ interests: ['sale'] });
    await rookery.get(Shop).open();
    const message = JSON.stringify(await pushed());
    for (const name of ['bell', 'sales']) expect(message).toContain(name);
  });

  it('carry buttons', async () => {
    await rookery.register({ user: 'dora' });
    await rookery.get(Shop).invite('dora');
    expect(JSON.stringify(await pushed())).toContain('yes,no');
  });

  it('reach the devices of one user', async () => {
    await rookery.register({ user: 'erin' });
    await rookery.register({ user: 'frank' });
    await rookery.get(Shop).tellOfParcel('erin');
    expect(JSON.stringify(await pushed())).toContain('Your parcel is on its way');
    expect(rookery.pushes).toHaveLength(1);
  });

  it('are sent at their time', async () => {
    await rookery.register({ interests: ['sale'], platform: 'web' });
    await rookery.get(Shop).remind(new Date(Date.now() + 3_600_000));
    expect(rookery.pushes).toEqual([]);
    await rookery.clock.advance(3_605_000);
    expect(JSON.stringify(await pushed())).toContain('The sale ends today');
  });
});

it('sends one message to everyone, and to many users', async () => {
  const [alice, bob] = [await rookery.connect(), await rookery.connect()];
  await alice.signin({ id: 'alice' });
  await bob.subscribe('everyone');
  await rookery.get(Shop).tellEveryone('Open');
  expect((await bob.next('message')).data).toEqual({ text: 'Open' });
  expect(await rookery.get(Shop).tellMany(['alice', 'erin'], 'Hello')).toHaveLength(2);
  expect((await alice.next('message')).data).toMatchObject({ text: 'Hello' });
});

const read = (name: string) => readFileSync(join(import.meta.dirname, 'recipes', name), 'utf8');

describe('the service worker', () => {
  const source = join(import.meta.dirname, '../../node_modules/@pusher/push-notifications-web/src/service-worker.js');
  // Its requests and its database in the browser are of no interest here.
  const sdk = readFileSync(source, 'utf8').replaceAll(/^import .*$/gm, '');

  /** A service worker with the SDK's code and that of the page. */
  function worker() {
    const listeners: Record<string, ((event: unknown) => void)[]> = {};
    const [showNotification, fetched] = [vi.fn(), vi.fn(() => Promise.resolve({ ok: true, json: () => ({}) }))];
    const self: Record<string, unknown> = {
      addEventListener: (name: string, listener: (event: unknown) => void) => (listeners[name] ??= []).push(listener),
      registration: { showNotification },
      doRequest: () => Promise.resolve(),
      fetch: fetched,
      Promise,
      console,
    };
    self['self'] = self;
    runInNewContext(`${sdk};${read('service-worker.js')}`, self);
    (self['PusherPushNotifications'] as { _getState: unknown })._getState = () => Promise.resolve({});
    const fire = (name: string, event: object) => listeners[name]!.forEach((listener) => listener(event));
    return { fire, showNotification, fetched };
  }

  const push = (payload: object) => ({
    data: { json: () => payload },
    waitUntil: () => undefined,
  });

  it('shows image and buttons, and acts on a button', () => {
    const { fire, showNotification, fetched } = worker();
    const actions = [{ action: 'yes', title: 'Yes' }];
    const data = { pusher: { instanceId, publishId: '1' }, image: 'a.png', actions };
    fire('push', push({ notification: { title: 'Dinner', body: 'at 8' }, data }));
    expect(showNotification.mock.calls).toEqual([['Dinner', { body: 'at 8', image: 'a.png', actions, data: {} }]]);
    const close = vi.fn();
    fire('notificationclick', { action: 'yes', notification: { data: {}, close }, waitUntil: () => undefined });
    expect(fetched).toHaveBeenCalledWith('/invitations/accept', { method: 'POST' });
    expect(close).toHaveBeenCalled();
  });

  it('leaves other notifications to the SDK', async () => {
    const { fire, showNotification } = worker();
    fire('push', push({ notification: { title: 'Plain' }, data: { pusher: { instanceId, publishId: '1' } } }));
    await until(() => showNotification.mock.calls.length === 1, 'the SDK shows it');
    expect(showNotification.mock.calls[0]![0]).toBe('Plain');
  });
});

it('shows who is typing until their message comes', () => {
  vi.useFakeTimers();
  try {
    const bound: Record<string, (data: object, metadata?: object) => void> = {};
    const [trigger, show, hide] = [vi.fn(), vi.fn(), vi.fn()];
    const room = { bind: (name: string, callback: (typeof bound)[string]) => (bound[name] = callback), trigger };
    let type = (): void => undefined;
    runInNewContext(read('typing.js'), {
      pusher: { subscribe: () => room },
      input: { addEventListener: (_: string, listener: () => void) => (type = listener) },
      show,
      hide,
      Date,
      setTimeout,
      clearTimeout,
    });
    type();
    type();
    expect(trigger).toHaveBeenCalledTimes(1);
    bound['client-typing']!({}, { user_id: 'bob' });
    expect(show).toHaveBeenCalledWith('bob is typing…');
    bound['message']!({ from: 'bob' });
    expect(hide).toHaveBeenCalledWith('bob');
    bound['client-typing']!({}, { user_id: 'carol' });
    vi.advanceTimersByTime(3000);
    expect(hide).toHaveBeenLastCalledWith('carol');
  } finally {
    vi.useRealTimers();
  }
});
