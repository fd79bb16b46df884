import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DevicesService } from 'rookery/push-device';
import { startPublishApp } from '../support/publish-app.js';
import { instance, otherInstance } from '../support/push-app.js';

const authorization = `Bearer ${instance.secretKey}`;
const refusal = (status: number, error: string, description: string) => ({ status, json: { error, description } });

describe.each(['Fastify', 'Express'] as const)('DELETE customer_api/…/users/<id> on %s', (platform) => {
  let app: Awaited<ReturnType<typeof startPublishApp>>;
  beforeAll(async () => {
    app = await startPublishApp({ platform });
  });
  afterAll(() => app.close());

  const devices = () => app.app.get(DevicesService);
  const deviceOf = async (userId: string, instanceId = instance.id) => {
    const registration = { platform: 'fcm', token: crypto.randomUUID(), metadata: {} } as const;
    const { id } = await devices().register(instanceId, registration);
    await devices().setUser({ instanceId, platform: 'fcm', id }, userId);
    return { instanceId, platform: 'fcm', id } as const;
  };

  it("removes the user with all devices, and no other user's", async () => {
    const [first, second, bobs] = [await deviceOf('alice'), await deviceOf('alice'), await deviceOf('bob')];
    const elsewhere = await deviceOf('alice', otherInstance.id);
    expect(await app.deleteUser('alice')).toMatchObject({ status: 200, text: '' });
    for (const gone of [first, second])
      await expect(devices().find(gone)).rejects.toMatchObject({ message: 'Device not found' });
    for (const left of [bobs, elsewhere]) expect(await devices().find(left)).toMatchObject({ id: left.id });
  });

  it.each<[string, string, string, Record<string, string>, string]>([
    ['under the old name', 'old', 'old', {}, 'user_api'],
    ['with a slash as it is', 'a b/ü?', 'a%20b/%C3%BC%3F', {}, 'customer_api'],
    ['with a slash escaped', 'a/b', 'a%2Fb', {}, 'customer_api'],
    [
      'with a plus that is one',
      'a+b',
      'a+b',
      { 'x-pusher-library': 'pusher-push-notifications-go 1.1.1' },
      'customer_api',
    ],
    ...['php 2.0.0', 'ruby 2.0.3', 'server-java 1.1.1'].map(
      (library) =>
        [
          `with a plus that is a space to ${library}`,
          'a b',
          'a+b',
          { 'x-pusher-library': `pusher-push-notifications-${library}` },
          'customer_api',
        ] satisfies [string, string, string, object, string],
    ),
    ['of 164 characters', 'ü'.repeat(164), encodeURIComponent('ü'.repeat(164)), {}, 'customer_api'],
    ['with a JSON content type and no body', 'typed', 'typed', { 'content-type': 'application/json' }, 'customer_api'],
  ])('accepts a user %s', async (_what, user, written, headers, api) => {
    const device = await deviceOf(user);
    expect(await app.deleteUser(written, headers, api)).toMatchObject({ status: 200, text: '' });
    await expect(devices().find(device)).rejects.toMatchObject({ message: 'Device not found' });
  });

  it.each(['nobody', '%00', '%F0%9F%90%A6'])('answers 200 for a user that is not there: %s', async (user) => {
    expect(await app.deleteUser(user)).toMatchObject({ status: 200, text: '' });
  });

  const unknown = refusal(404, 'Instance not found', 'Could not find the instance');
  // Each row is wrong in what its check comes before, too.
  it.each<[string, string, Record<string, string>, object]>([
    [
      'no authorization, before the instance',
      `nowhere/users/${'x'.repeat(165)}`,
      { authorization: '' },
      refusal(400, 'Incomplete Request', 'Authorization header is missing.'),
    ],
    ['an instance id that is none, before the key', `nowhere/users/a`, { authorization: 'Bearer wrong' }, unknown],
    ['an unknown instance', `99999999-2222-4333-8444-555555555555/users/a`, {}, unknown],
    ['an instance id of any length', `${'x'.repeat(200)}/users/a`, {}, unknown],
    [
      'an empty instance id',
      `/users/a`,
      {},
      refusal(400, 'Incomplete Request', '`instance-id` param is missing from path.'),
    ],
    [
      'a wrong key, before the user id',
      `${instance.id}/users/${'x'.repeat(165)}`,
      { authorization: 'Bearer wrong' },
      refusal(401, 'Unauthorized', 'Incorrect Secret Key'),
    ],
    ...['x'.repeat(165), encodeURIComponent('ü'.repeat(165)), 'x'.repeat(5000)].map(
      (user) =>
        [
          'a user id that is too long',
          `${instance.id}/users/${user}`,
          {},
          refusal(400, 'Bad request', "'User id' is too long, max length is 164"),
        ] satisfies [string, string, object, object],
    ),
  ])('refuses %s', async (_what, path, headers, refused) => {
    for (const api of ['customer_api', 'user_api'])
      expect(
        await app.call('DELETE', `/${api}/v1/instances/${path}`, { headers: { authorization, ...headers } }),
      ).toMatchObject(refused);
  });
});
