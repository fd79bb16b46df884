import PushNotifications from '@pusher/push-notifications-server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FcmGateway } from 'rookery/publish';
import { api, startPublishApp } from '../support/publish-app.js';
import { instance } from '../support/push-app.js';
import { type StandInFcm, standInFcm } from '../support/stand-ins/index.js';
import { authority } from '../support/tls/index.js';

/** The official server SDK; `port` works, though its types do not know it. */
const sdk = (port: number, secretKey = instance.secretKey) => {
  const options = { instanceId: instance.id, secretKey, endpoint: '127.0.0.1', port };
  return new PushNotifications(options);
};

let google: StandInFcm;
let app: Awaited<ReturnType<typeof startPublishApp>>;
let calls: ReturnType<typeof api>;
beforeAll(async () => {
  google = await standInFcm();
  app = await startPublishApp({
    instances: [{ ...instance, fcm: google.credentials }],
    publish: { fcmGateway: new FcmGateway({ ca: authority }) },
  });
  calls = api(app.call, instance);
});
afterAll(async () => {
  await app.close();
  await google.close();
});

const messagesTo = (token: string) =>
  google.received.filter((one) => one.token === token).map(({ message }) => message);
// What the SDK's types forbid, JavaScript may do.
const nothing = {} as { fcm: object };
const devicePath = (id: string) => `/device_api/v1/instances/${instance.id}/devices/fcm/${id}`;

/** Registers a device and sets its user with a token of the SDK, as a phone does. */
async function deviceOf(user: string, token: string): Promise<string> {
  const id = await calls.registered([], token);
  const headers = { authorization: `Bearer ${sdk(app.port).generateToken(user).token}` };
  expect(await app.call('PUT', `${devicePath(id)}/user`, { headers })).toMatchObject({ status: 200 });
  return id;
}

describe('@pusher/push-notifications-server', () => {
  it('publishes to an interest, and Google gets the message for the device that has it', async () => {
    await calls.registered(['hello'], 'phone 1');
    await calls.registered(['goodbye'], 'phone 2');
    const { publishId } = await sdk(app.port).publishToInterests(['hello'], {
      fcm: { notification: { title: 'Hello', body: 'Hello, world!' }, data: { score: 3 } },
    });
    await expect.poll(() => messagesTo('phone 1')).toHaveLength(1);
    const [message] = messagesTo('phone 1');
    expect(message).toMatchObject({ notification: { title: 'Hello', body: 'Hello, world!' }, data: { score: '3' } });
    expect(JSON.parse(message.data.pusher)).toEqual({
      instanceId: instance.id,
      publishId,
      hasDisplayableContent: true,
      hasData: true,
    });
    await expect
      .poll(() => calls.status(publishId))
      .toMatchObject({ state: 'finished', platforms: { fcm: { sent: 1 } } });
    expect(messagesTo('phone 2')).toEqual([]);
  });

  it('publishes under the old name of publishToInterests', async () => {
    await calls.registered(['old'], 'old phone');
    await sdk(app.port).publish(['old'], { fcm: { data: { a: 'b' } } });
    await expect.poll(() => messagesTo('old phone')).toHaveLength(1);
  });

  it('passes allOf and noneOf on', async () => {
    await calls.registered(['sports', 'premium'], 'paying');
    await calls.registered(['sports', 'premium', 'muted'], 'quiet');
    await calls.registered(['sports'], 'free');
    const publish = { allOf: ['premium'], noneOf: ['muted'], fcm: { data: { goal: '1' } } };
    const { publishId } = await sdk(app.port).publishToInterests(['sports', 'news'], publish);
    await expect.poll(() => calls.status(publishId)).toMatchObject({ state: 'finished' });
    expect(['paying', 'quiet', 'free'].map((token) => messagesTo(token).length)).toEqual([1, 0, 0]);
  });

  it('publishes to a user whose devices were set with its token', async () => {
    await deviceOf('alice', 'alice 1');
    await deviceOf('alice', 'alice 2');
    await deviceOf('bob', 'bob 1');
    await sdk(app.port).publishToUsers(['alice', 'nobody'], { fcm: { data: { to: 'alice' } } });
    await expect.poll(() => [messagesTo('alice 1'), messagesTo('alice 2')]).toMatchObject([[{}], [{}]]);
    expect(messagesTo('bob 1')).toEqual([]);
  });

  it('deletes a user with all devices', async () => {
    const id = await deviceOf('carol/ü ?', 'carol 1');
    expect(await sdk(app.port).deleteUser('carol/ü ?')).toBeUndefined();
    expect(await app.call('GET', devicePath(id))).toMatchObject({ status: 404 });
    await sdk(app.port).deleteUser('carol/ü ?');
  });

  it.each([
    [
      'a wrong key',
      () => sdk(app.port, 'wrong').publishToInterests(['a'], { fcm: {} }),
      /401.*Unauthorized.*Incorrect Secret Key/,
    ],
    [
      'a publish for no platform',
      () => sdk(app.port).publishToInterests(['a'], nothing),
      /422.*Unprocessable Entity.*anyOf/,
    ],
    ['a user twice', () => sdk(app.port).publishToUsers(['a', 'a'], { fcm: {} }), /422.*array items must be unique/],
    ['a wrong key for deleteUser', () => sdk(app.port, 'wrong').deleteUser('a'), /401.*Incorrect Secret Key/],
  ])('tells its caller of %s', async (_name, request, error) => {
    await expect(request()).rejects.toThrow(error);
  });
});
