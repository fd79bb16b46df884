import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeviceRepository } from 'rookery/push-device';
import { instance } from '../support/push-app.js';
import { startPublishApp } from '../support/publish-app.js';

let app: Awaited<ReturnType<typeof startPublishApp>>;
let devices: DeviceRepository;
beforeAll(async () => {
  app = await startPublishApp();
  devices = app.app.get(DeviceRepository);
});
afterAll(() => app.close());

async function deviceOf(user: string): Promise<string> {
  const id = await app.registered(['news']);
  expect(await devices.setUser(instance.id, 'fcm', id, user)).toBe('ok');
  return id;
}
const isThere = async (id: string) => (await devices.find(instance.id, 'fcm', id)) !== undefined;

describe.each(['customer_api', 'user_api'])('DELETE %s/v1/…/users/<id>', (base) => {
  it('removes the devices of the user, and nobody else', async () => {
    const [first, second, other] = [await deviceOf('alice'), await deviceOf('alice'), await deviceOf('bob')];
    const answer = await app.deleteUser('alice', {}, base);
    expect(answer).toMatchObject({ status: 200, text: '' });
    expect([await isThere(first), await isThere(second), await isThere(other)]).toEqual([false, false, true]);
  });

  it('is 200 for an unknown user', async () => {
    expect(await app.deleteUser('nobody', {}, base)).toMatchObject({ status: 200, text: '' });
  });

  const php = { 'x-pusher-library': 'pusher-push-notifications-php 2.0.0' };
  const java = { 'x-pusher-library': 'pusher-push-notifications-server-java 1.1.1' };
  const ruby = { 'x-pusher-library': 'pusher-push-notifications-ruby 2.0.3' };
  const go = { 'x-pusher-library': 'pusher-push-notifications-go 1.1.1' };
  it.each([
    ['Node', 'a b/ü?', encodeURIComponent('a b/ü?'), {}],
    ['Python, which leaves slashes', 'a b/ü?', 'a%20b/%C3%BC%3F', {}],
    ['PHP, which writes a space as +', 'a b+c', 'a+b%2Bc', php],
    ['Java', 'a b+c', 'a+b%2Bc', java],
    ['Ruby', 'a b+c', 'a+b%2Bc', ruby],
    ['Go, which leaves a plus', 'a b+c', 'a%20b+c', go],
    ['anyone, with slashes at both ends', '/a//b/', '%2Fa%2F%2Fb%2F', {}],
    ['anyone, with 164 characters of three bytes', '漢'.repeat(164), encodeURIComponent('漢'.repeat(164)), {}],
  ])('finds the user as %s writes it', async (_name, user, written, headers) => {
    const id = await deviceOf(user);
    expect(await app.deleteUser(written, headers, base)).toMatchObject({ status: 200 });
    expect(await isThere(id)).toBe(false);
  });

  it.each([
    [
      'no authorization',
      'alice',
      { authorization: '' },
      { status: 400, json: { error: 'Incomplete Request', description: 'Authorization header is missing.' } },
    ],
    [
      'a wrong key',
      'alice',
      { authorization: 'Bearer x' },
      { status: 401, json: { error: 'Unauthorized', description: 'Incorrect Secret Key' } },
    ],
    [
      'a long id',
      'x'.repeat(165),
      {},
      { status: 400, json: { error: 'Bad request', description: "'User id' is too long, max length is 164" } },
    ],
    ['no id', '', {}, { status: 404, text: '404 page not found' }],
  ])('refuses %s', async (_name, user, headers, refusal) => {
    expect(await app.deleteUser(user, headers, base)).toMatchObject(refusal);
  });

  it('refuses an unknown instance', async () => {
    const path = `/${base}/v1/instances/99999999-2222-4333-8444-555555555555/users/alice`;
    expect(await app.call('DELETE', path, { headers: { authorization: 'Bearer x' } })).toMatchObject({
      status: 404,
      json: { error: 'Instance not found', description: 'Could not find the instance' },
    });
  });

  it.each(['%00', 'a%00b'])('takes %s, which is nobody', async (written) => {
    expect(await app.deleteUser(written, {}, base)).toMatchObject({ status: 200 });
  });

  it.each(['%E0%A4%A', '%ff'])('refuses %s, which is no text', async (written) => {
    expect((await app.deleteUser(written, {}, base)).status).toBe(400);
  });
});
