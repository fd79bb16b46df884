import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DevicesService } from 'rookery/push-device';
import { startPublishApp } from '../support/publish-app.js';
import { instance, otherInstance } from '../support/push-app.js';

const authorization = `Bearer ${instance.secretKey}`;

describe.each(['Fastify', 'Express'] as const)('the devices of users and interests on %s', (platform) => {
  let app: Awaited<ReturnType<typeof startPublishApp>>;
  beforeAll(async () => {
    app = await startPublishApp({ platform });
  });
  afterAll(() => app.close());

  const list = (path: string, headers: Record<string, string> = { authorization }, id = instance.id) =>
    app.call('GET', `/customer_api/v1/instances/${id}/${path}`, { headers });
  const ids = async (path: string) => (await list(path)).json.devices.map(({ id }: { id: string }) => id);

  async function deviceOf(userId: string, interests: readonly string[] = [], instanceId = instance.id) {
    const devices = app.app.get(DevicesService);
    const token = crypto.randomUUID();
    const registration = { platform: 'apns', token, bundleIdentifier: 'com.example.app', metadata: {} } as const;
    const { id } = await devices.register(instanceId, registration);
    const path = { instanceId, platform: 'apns', id } as const;
    if (userId !== '') await devices.setUser(path, userId);
    await devices.setInterests(path, new Set(interests));
    return id;
  }

  it('returns the known fields of each device, and no token', async () => {
    const id = await deviceOf('alice');
    const { status, json } = await list('users/alice/devices');
    expect(status).toBe(200);
    expect(json).toEqual({
      devices: [
        {
          id,
          platform: 'apns',
          userId: 'alice',
          bundleIdentifier: 'com.example.app',
          registeredAt: expect.any(String),
        },
      ],
      responseMetadata: {},
    });
    expect(Date.now() - Date.parse(json.devices[0].registeredAt)).toBeLessThan(60_000);
  });

  it('lists devices of an interest with and without a user, each once', async () => {
    const expected = [await deviceOf('bob', ['news', 'sport']), await deviceOf('', ['news'])].sort();
    await deviceOf('', ['newsletter']);
    await deviceOf('', ['news'], otherInstance.id);
    expect(await ids('interests/news/devices')).toEqual(expected);
    expect((await list('interests/news/devices')).json.devices.map(({ userId }: any) => userId).sort()).toEqual([
      '',
      'bob',
    ]);
  });

  it('lists those that a publish to combined interests would reach', async () => {
    const [one, other] = [await deviceOf('', ['jazz', 'a,b']), await deviceOf('', ['jazz', 'a,b', 'live'])];
    await deviceOf('', ['jazz']);
    await deviceOf('', ['jazz', 'a,b', 'live', 'muted']);
    expect(await ids('interests/jazz/devices?allOf=a,b&noneOf=muted&noneOf=nobody')).toEqual([one, other].sort());
    expect(await ids('interests/jazz/devices?allOf=a,b&allOf=live&noneOf=muted')).toEqual([other]);
    expect(await list('interests/jazz/devices?noneOf=a%20b')).toMatchObject({ status: 400 });
    expect(await list('interests/jazz/devices?allOf=')).toMatchObject({ status: 400 });
    const query = Array.from({ length: 100 }, (_, n) => `noneOf=n${n}`).join('&');
    expect(await list(`interests/jazz/devices?${query}`)).toMatchObject({ status: 422 });
  });

  it('comes in pages', async () => {
    const expected = [];
    for (let count = 0; count < 5; count += 1) expected.push(await deviceOf('', ['paged']));
    expected.sort();
    const found = [];
    let query = '?limit=2';
    for (let pages = 0; query !== ''; pages += 1) {
      const { json } = await list(`interests/paged/devices${query}`);
      found.push(...json.devices.map(({ id }: { id: string }) => id));
      const { nextCursor } = json.responseMetadata;
      query = nextCursor === undefined ? '' : `?limit=2&cursor=${nextCursor}`;
      expect(pages).toBeLessThan(3);
    }
    expect(found).toEqual(expected);
  });

  it.each([
    ['a slash as it is', 'a b/ü', 'a%20b/%C3%BC'],
    ['a slash escaped', 'c/d', 'c%2Fd'],
    ['164 characters', 'ü'.repeat(164), encodeURIComponent('ü'.repeat(164))],
    ['the name of the list', 'devices', 'devices'],
  ])('finds a user with %s', async (_what, user, written) => {
    const id = await deviceOf(user);
    expect(await ids(`users/${written}/devices`)).toEqual([id]);
  });

  it('finds an interest of 164 characters, also escaped', async () => {
    const interest = '=@,.;'.repeat(40).slice(0, 164);
    const id = await deviceOf('', [interest]);
    expect(await ids(`interests/${interest}/devices`)).toEqual([id]);
    expect(await ids(`interests/${encodeURIComponent(interest)}/devices`)).toEqual([id]);
  });

  it.each(['users/nobody/devices', 'users/%00/devices', 'interests/nothing/devices'])(
    'is empty for %s',
    async (path) => {
      expect(await list(path)).toMatchObject({ status: 200, json: { devices: [], responseMetadata: {} } });
    },
  );

  it.each([
    ['users/alice/devices?limit=0', 400, '`limit` given is not valid.'],
    ['users/alice/devices?limit=101', 400, '`limit` given is not valid.'],
    ['users/alice/devices?cursor=x', 400, '`cursor` given is not valid.'],
    ['interests/a%20b/devices', 400, '`interest-name` given is not valid.'],
    [`users/${'x'.repeat(165)}/devices`, 400, "'User id' is too long, max length is 164"],
  ])('refuses %s', async (path, status, description) => {
    expect(await list(path)).toMatchObject({ status, json: { description } });
  });

  it.each(['users/alice', 'users//devices', 'interests/news', 'interests/news/users'])(
    'answers 404 for %s',
    async (path) => {
      expect(await list(path)).toMatchObject({ status: 404, text: '404 page not found' });
    },
  );

  it.each(['users/alice/devices', 'interests/news/devices'])('requires the secret key: %s', async (path) => {
    expect(await list(path, {})).toMatchObject({ status: 400 });
    expect(await list(path, { authorization: 'Bearer wrong' })).toMatchObject({ status: 401 });
    const unknown = '99999999-2222-4333-8444-555555555555';
    expect(await list(path, { authorization }, unknown)).toMatchObject({ status: 404 });
  });
});
