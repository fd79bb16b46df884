import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { instance, startDeviceApi } from '../support/push-app.js';

const id = 'fcm-1b4f0e98-51b6-4b8b-8b5e-0d8f1a2b3c4d';

/** Every endpoint, with a body where it takes one. */
const endpoints: readonly (readonly [method: string, path: string, body: object | undefined])[] = [
  ['POST', 'devices/apns', { token: 'a1', bundleIdentifier: 'x' }],
  ['POST', 'devices/fcm', { token: 'a1' }],
  ['POST', 'devices/web', {}],
  ['GET', `devices/fcm/${id}`, undefined],
  ['DELETE', `devices/fcm/${id}`, undefined],
  ['PUT', `devices/fcm/${id}/metadata`, {}],
  ['PUT', `devices/fcm/${id}/token`, { token: 'x' }],
  ['PUT', `devices/fcm/${id}/user`, undefined],
  ['GET', `devices/fcm/${id}/interests`, undefined],
  ['PUT', `devices/fcm/${id}/interests`, { interests: [] }],
  ['POST', `devices/fcm/${id}/interests/donuts`, undefined],
  ['DELETE', `devices/fcm/${id}/interests/donuts`, undefined],
  ['GET', 'web-vapid-public-key', undefined],
];

describe.each(['Fastify', 'Express'] as const)('the device API on %s', (platform) => {
  let api: Awaited<ReturnType<typeof startDeviceApi>>;
  beforeAll(async () => {
    api = await startDeviceApi({}, platform);
  });
  afterAll(() => api.close());

  it.each(endpoints)('%s %s finds its instances', async (method, path, body) => {
    const unknown = await api.callAnywhere(method, `/device_api/v1/instances/${crypto.randomUUID()}/${path}`, { body });
    expect([unknown.status, unknown.json]).toEqual([
      404,
      { error: 'Instance not found', description: 'Could not find the instance' },
    ]);
    for (const malformed of ['not-a-uuid', '%20', 'x'.repeat(200)]) {
      const answer = await api.callAnywhere(method, `/device_api/v1/instances/${malformed}/${path}`, { body });
      expect([answer.status, answer.json]).toEqual([
        400,
        { error: 'Bad Request', description: '`instance-id` given is not valid.' },
      ]);
    }
  });

  it.each(endpoints.filter(([method]) => method !== 'GET'))(
    '%s %s takes no body but JSON',
    async (method, path, body) => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'nonsense', ''])
        expect(
          await api.call(method, path, { body: JSON.stringify(body ?? {}), headers: { 'content-type': type } }),
        ).toMatchObject({
          status: 400,
          json: { error: 'Invalid content type', description: 'Only `application/json` is supported.' },
        });
    },
  );

  it.each(endpoints)('%s %s allows browsers with any answer', async (method, path, body) => {
    const headers = { origin: 'https://page.example' };
    const preflight = await api.call('OPTIONS', path, {
      headers: {
        ...headers,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect([preflight.status, preflight.text]).toEqual([204, '']);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, POST, PUT, DELETE');
    expect(preflight.headers.get('access-control-allow-headers')).toMatch(/^Content-Type, Authorization/);
    const answer = await api.call(method, path, { body, headers });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  it.each([['application/json; charset=utf-8'], ['Application/JSON'], ['application/json;charset=UTF-8; boundary=x']])(
    'accepts the content type %s',
    async (type) => {
      const answer = await api.call('POST', 'devices/fcm', {
        body: JSON.stringify({ token: 'a1' }),
        headers: { 'content-type': type },
      });
      expect(answer.status).toBe(200);
    },
  );

  it.each([
    ['GET', 'devices/fcm'],
    ['PATCH', 'devices/fcm'],
    ['POST', 'devices/safari'],
    ['GET', 'safari-website-push-id'],
    ['GET', `devices/fcm/${id}/user`],
    ['PUT', `devices/fcm/${id}/interests/donuts`],
    ['GET', `devices/fcm/${id}/interests/donuts`],
    ['GET', `nowhere`],
    ['GET', ''],
  ])('%s %s is not a route', async (method, path) => {
    const { status, type, text } = await api.call(method, path);
    expect([status, type, text]).toEqual([404, 'text/plain; charset=utf-8', '404 page not found']);
  });

  it.each([
    ['POST', `/devices/fcm`, 'instance-id'],
    ['PUT', `/devices/fcm/${id}/interests`, 'instance-id'],
    ['GET', `${instance.id}/devices/fcm/`, 'device-id'],
    ['DELETE', `${instance.id}/devices/apns/`, 'device-id'],
    ['PUT', `${instance.id}/devices/fcm//metadata`, 'device-id'],
    ['POST', `${instance.id}/devices/fcm//interests/donuts`, 'device-id'],
    ['POST', `${instance.id}/devices/fcm/${id}/interests`, 'interest-name'],
    ['POST', `${instance.id}/devices/fcm/${id}/interests/`, 'interest-name'],
    ['DELETE', `${instance.id}/devices/web/${id}/interests/`, 'interest-name'],
  ])('%s …/instances/%s lacks its %s', async (method, path, parameter) => {
    const { status, json } = await api.callAnywhere(method, `/device_api/v1/instances/${path}`);
    expect([status, json]).toEqual([
      400,
      { error: 'Incomplete Request', description: `\`${parameter}\` param is missing from path.` },
    ]);
  });

  it('answers errors as JSON that ends with a newline', async () => {
    const { type, text } = await api.call('GET', `devices/fcm/${id}`);
    expect(type).toMatch(/^application\/json/);
    expect(text).toBe('{"error":"Not found","description":"Device not found"}\n');
  });

  it('accepts a chunked body', async () => {
    const response = await fetch(`${api.url}/device_api/v1/instances/${instance.id}/devices/fcm`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Blob([JSON.stringify({ token: 'chunked' })]).stream(),
      duplex: 'half',
    });
    expect(response.status).toBe(200);
  });
});
