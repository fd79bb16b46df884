import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { MemoryPublishOutbox, PublishService, RequestRates } from 'rookery/publish';
import { instance, otherInstance } from '../support/push-app.js';
import { startPublishApp } from '../support/publish-app.js';

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}';
const publishId = expect.stringMatching(new RegExp(`^pubid-${uuid}$`));
const fcm = { notification: { title: 'hi' } };
const authorization = `Bearer ${instance.secretKey}`;
const instances = '/publish_api/v1/instances';
const kib = 1024;

describe.each(['Fastify', 'Express'] as const)('the publish API on %s', (platform) => {
  let app: Awaited<ReturnType<typeof startPublishApp>>;
  beforeAll(async () => {
    app = await startPublishApp({ platform });
  });
  afterAll(() => app.close());

  const finished = async (id: string) => {
    await expect.poll(() => app.status(id)).toMatchObject({ state: 'finished' });
    return app.status(id);
  };

  it.each(['', '/interests'])('POST publishes%s sends to the devices of the interests', async (kind) => {
    const interest = `news${kind.length}`;
    const id = await app.registered([interest, 'sport']);
    const answer = await app.publish({ interests: [interest, 'sport'], fcm }, {}, kind);
    expect(answer).toMatchObject({ status: 200, json: { publishId } });
    expect(answer.type).toMatch(/^application\/json/);
    await finished(answer.json.publishId);
    expect(app.gateways.fcm.sent.filter((sentTo) => sentTo === id).length).toBeGreaterThan(0);
    expect(app.gateways.fcm.prepared.at(-1)).toMatchObject({
      publishId: answer.json.publishId,
      payload: fcm,
      instance: { id: instance.id },
    });
  });

  it('POST publishes/users succeeds even if the users have no device', async () => {
    const answer = await app.publish(
      { users: ['a b/ü?', 'nobody'], fcm, webhookUrl: 'https://x.example' },
      {},
      '/users',
    );
    expect(answer).toMatchObject({ status: 200, json: { publishId } });
    expect(await finished(answer.json.publishId)).toMatchObject({ platforms: { fcm: { audience: 0 } } });
  });

  it('accepts an id of any case and any spelling of Bearer', async () => {
    const headers = { authorization: `bearer ${instance.secretKey}` };
    const path = `${instances}/${instance.id.toUpperCase()}/publishes`;
    const { status, json } = await app.call('POST', path, { headers, body: { interests: ['x'], fcm } });
    expect(status).toBe(200);
    expect(await app.status(json.publishId)).toMatchObject({ publishId: json.publishId });
  });

  const wellMade = { interests: ['news'], fcm };
  const oversized = (most: number, body: object) => ({ ...body, fcm: { data: { text: 'x'.repeat(most * kib) } } });
  const missing = {
    status: 400,
    json: { error: 'Incomplete Request', description: 'Authorization header is missing.' },
  };
  const wrongType = {
    status: 400,
    json: { error: 'Invalid content type', description: 'Only `application/json` is supported.' },
  };
  const unreadable = {
    status: 400,
    json: { error: 'Bad request', description: 'Failed to read body as a JSON object.' },
  };
  const tooLarge = (most: number) => ({
    status: 400,
    json: { error: 'Bad request', description: `Request body size is too large (max ${most}KiB).` },
  });
  const unknown = { status: 404, json: { error: 'Instance not found', description: 'Could not find the instance' } };
  const wrongKey = { status: 401, json: { error: 'Unauthorized', description: 'Incorrect Secret Key' } };
  const invalid = (description: string) => ({ status: 422, json: { error: 'Unprocessable Entity', description } });

  // Each row is wrong in everything that its check comes before: the first mistake is the one that is told.
  it.each([
    [
      'a wrong content type, before all else',
      instance.id,
      'interests',
      { 'content-type': 'text/plain', authorization: '' },
      '{',
      wrongType,
    ],
    [
      'no authorization, before the size',
      'x',
      'interests',
      { 'content-type': 'application/json', authorization: '' },
      oversized(10, wellMade),
      missing,
    ],
    [
      'more than 10 KiB for interests, before the instance',
      'x',
      'interests',
      {},
      oversized(10, wellMade),
      tooLarge(10),
    ],
    ['more than 10 KiB for the alias', 'x', '', {}, oversized(10, wellMade), tooLarge(10)],
    ['more than 200 KiB for interests', 'x', 'interests', {}, oversized(201, wellMade), tooLarge(10)],
    ['more than 200 KiB for users', 'x', 'users', {}, oversized(200, { users: ['a'] }), tooLarge(200)],
    [
      'malformed JSON, before the instance',
      'x',
      'interests',
      { 'content-type': 'application/json' },
      '{"a',
      unreadable,
    ],
    ['a JSON list', 'x', 'interests', {}, [], unreadable],
    ['JSON null', 'x', 'interests', { 'content-type': 'application/json' }, 'null', unreadable],
    ['no body at all', 'x', 'interests', {}, undefined, unreadable],
    [
      'an unknown instance, before the key',
      'abe1212381f60',
      'interests',
      { authorization: 'Bearer wrong' },
      {},
      unknown,
    ],
    ['an unknown UUID', '99999999-2222-4333-8444-555555555555', 'users', {}, {}, unknown],
    ['a wrong key, before the schema', instance.id, 'interests', { authorization: 'Bearer wrong' }, {}, wrongKey],
    ['another scheme', instance.id, 'interests', { authorization: `Basic ${instance.secretKey}` }, {}, wrongKey],
    ['no interests', instance.id, 'interests', {}, { fcm }, invalid('`interests`: interests is required')],
    ['no interests at the alias', instance.id, '', {}, { fcm }, invalid('`interests`: interests is required')],
    ['no users', instance.id, 'users', {}, { fcm }, invalid('`users`: users is required')],
    [
      'a bad interest',
      instance.id,
      'interests',
      {},
      { interests: ['a b'], fcm },
      invalid("`interests.0`: Does not match pattern '^[a-zA-Z0-9_\\-=@,.;]+$'"),
    ],
    [
      'a user twice',
      instance.id,
      'users',
      {},
      { users: ['a', 'a'], fcm },
      invalid('`users`: array items must be unique'),
    ],
    [
      'no platform',
      instance.id,
      'users',
      {},
      { users: ['a'] },
      invalid('`(root)`: Must validate at least one schema (anyOf)'),
    ],
    [
      'data.pusher for web',
      instance.id,
      'interests',
      {},
      { interests: ['a'], web: { data: { pusher: 1 } } },
      invalid('`web.data.pusher`: Additional property pusher is not allowed'),
    ],
    [
      'a payload that is nested absurdly deep',
      instance.id,
      'users',
      { 'content-type': 'application/json' },
      `{"users":["a"],"fcm":{"data":${'['.repeat(90_000)}${']'.repeat(90_000)}}}`,
      invalid('`fcm`: Must not be nested deeper than 100 levels'),
    ],
  ])('refuses %s', async (_name, id, kind, headers, body, refusal) => {
    const path = `${instances}/${id}/publishes${kind && `/${kind}`}`;
    const answer = await app.call('POST', path, { headers: { authorization, ...headers }, body });
    expect(answer).toMatchObject(refusal);
    expect(answer.text.endsWith('}\n')).toBe(true);
  });

  it('accepts a users body of 200 KiB and an interests body of 10 KiB, to the byte', async () => {
    const filled = (body: object, bytes: number) => {
      const padding = bytes - Buffer.byteLength(JSON.stringify({ ...body, fcm: { data: { text: '' } } }));
      return JSON.stringify({ ...body, fcm: { data: { text: 'x'.repeat(padding) } } });
    };
    const json = { 'content-type': 'application/json' };
    expect(await app.publish(filled({ users: ['a'] }, 200 * kib), json, '/users')).toMatchObject({ status: 200 });
    expect(await app.publish(filled({ interests: ['a'] }, 10 * kib), json)).toMatchObject({ status: 200 });
    expect(await app.publish(filled({ interests: ['a'] }, 10 * kib + 1), json)).toMatchObject(tooLarge(10));
  });

  it.each([
    ['', 10],
    ['/interests', 10],
    ['/users', 200],
  ])('names the limit of publishes%s, %d KiB, without reading the body', async (kind, maxKiB) => {
    const path = `${instances}/${instance.id}/publishes${kind}`;
    const headers = { authorization, 'content-type': 'application/json', 'content-length': 50_000_000 };
    const begun = request(app.url + path, { method: 'POST', headers });
    begun.write('{');
    const [response] = (await once(begun, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(400);
    expect(JSON.parse(await text(response))).toEqual(tooLarge(maxKiB).json);
    begun.destroy();
  });

  it.each([
    ['GET', '/publish_api/v1/nothing'],
    ['PUT', `${instances}/${instance.id}/publishes`],
    ['DELETE', `/customer_api/v1/instances/${instance.id}/users/`],
    ['GET', `/user_api/v1/instances/${instance.id}`],
    ['POST', '/reporting_api/v2/instances'],
  ])('answers %s %s as plain text', async (method, path) => {
    const answer = await app.call(method, path, { headers: { authorization } });
    expect(answer).toMatchObject({ status: 404, text: '404 page not found', type: 'text/plain; charset=utf-8' });
  });

  it('answers 404 for an instance id of any length', async () => {
    const path = `${instances}/${'x'.repeat(200)}/publishes`;
    expect(await app.call('POST', path, { headers: { authorization }, body: wellMade })).toMatchObject(unknown);
  });

  it.each(['publishes', 'publishes/interests', 'publishes/users'])('refuses %s of an empty id', async (path) => {
    const answer = await app.call('POST', `${instances}//${path}`, { headers: { authorization }, body: wellMade });
    expect(answer).toMatchObject({
      status: 400,
      json: { error: 'Incomplete Request', description: '`instance-id` param is missing from path.' },
    });
  });

  describe('GET publishes/<publishId>', () => {
    it('answers the state and the counts of each platform', async () => {
      const id = await app.registered(['status']);
      await app.registered(['status']);
      app.gateways.fcm.answer = (device) => (device.id === id ? { outcome: 'unregistered' } : { outcome: 'delivered' });
      const { json } = await app.publish({ interests: ['status'], fcm, web: {} });
      const none = { audience: 0, sent: 0, failed: {}, retrying: 0, removedDevices: 0, delivered: 0, opened: 0 };
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      expect(await finished(json.publishId)).toEqual({
        publishId: json.publishId,
        state: 'finished',
        createdAt: time,
        finishedAt: time,
        platforms: {
          fcm: {
            ...none,
            audience: 2,
            sent: 1,
            failed: { unregistered: 1 },
            removedDevices: 1,
            explanations: [
              {
                reason: 'unregistered',
                devices: 1,
                meaning: expect.stringContaining('no longer valid'),
                action: expect.stringContaining('do nothing'),
              },
            ],
          },
          web: none,
        },
      });
    });

    const path = `${instances}/${instance.id}/publishes/pubid-00000000-0000-4000-8000-000000000000`;
    it.each([
      ['no authorization', path, {}, missing],
      ['an unknown instance', path.replace(instance.id, 'x'), { authorization: 'x' }, unknown],
      ['a wrong key', path, { authorization: 'Bearer x' }, wrongKey],
      [
        'an unknown publish',
        path,
        { authorization },
        { status: 404, json: { error: 'Not found', description: 'Publish not found' } },
      ],
      ['no publish id', path.replace('0000', '%00'), { authorization }, { status: 404 }],
    ])('refuses %s', async (_name, path, headers, refusal) => {
      expect(await app.call('GET', path, { headers })).toMatchObject(refusal);
    });

    it('does not show a publish of another instance', async () => {
      const { json } = await app.publish(wellMade);
      const other = `${instances}/${otherInstance.id}/publishes/${json.publishId}`;
      expect(await app.call('GET', other, { headers: { authorization } })).toMatchObject({ status: 404 });
    });
  });

  describe('Idempotency-Key', () => {
    const key = () => ({ 'idempotency-key': crypto.randomUUID() });

    it('answers a repeat with the first publish, and sends nothing again', async () => {
      await app.registered(['once']);
      const headers = key();
      const [first, second] = [
        await app.publish({ interests: ['once'], fcm }, headers),
        await app.publish({ fcm, interests: ['once'] }, headers),
      ];
      expect(second).toMatchObject({ status: 200, json: first.json });
      await finished(first.json.publishId);
      expect(app.gateways.fcm.prepared.filter((one) => one.publishId === first.json.publishId)).toHaveLength(1);
    });

    it('publishes once for concurrent requests', async () => {
      const headers = key();
      const answers = await Promise.all(Array.from({ length: 20 }, () => app.publish(wellMade, headers)));
      expect(new Set(answers.map(({ json }) => json.publishId)).size).toBe(1);
    });

    it('refuses the key for another body, and for another kind of publish', async () => {
      const headers = key();
      await app.publish(wellMade, headers);
      const refusal = invalid('`Idempotency-Key`: was used for a publish with a different body in the last 24 hours');
      expect(await app.publish({ ...wellMade, interests: ['other'] }, headers)).toMatchObject(refusal);
      expect(await app.publish({ users: ['news'], fcm }, headers, '/users')).toMatchObject(refusal);
    });

    it('counts within the instance', async () => {
      const headers = { authorization, ...key() };
      const ids = new Set<string>();
      for (const { id } of [instance, otherInstance])
        ids.add((await app.call('POST', `${instances}/${id}/publishes`, { headers, body: wellMade })).json.publishId);
      expect(ids.size).toBe(2);
    });

    it.each([
      ['too long', 'x'.repeat(256)],
      ['empty', ''],
    ])('refuses a key that is %s', async (_name, value) => {
      expect(await app.publish(wellMade, { 'idempotency-key': value })).toMatchObject({
        status: 400,
        json: { error: 'Bad request', description: '`Idempotency-Key` must have 1 to 255 printable ASCII characters.' },
      });
    });
  });

  describe('PublishService', () => {
    it("offers the host's code the operations of the API", async () => {
      const service = app.app.get(PublishService);
      const id = await app.registered(['service']);
      const once = { idempotencyKey: crypto.randomUUID() };
      const first = await service.publishToInterests(instance.id, { interests: ['service'], fcm }, once);
      expect(await service.publishToInterests(instance.id, { interests: ['service'], fcm }, once)).toEqual(first);
      await finished(first.publishId);
      expect(app.gateways.fcm.sent.filter((sentTo) => sentTo === id)).toHaveLength(1);
      expect(await service.status(instance.id, first.publishId)).toMatchObject({ platforms: { fcm: { sent: 1 } } });
      await expect(service.publishToUsers(instance.id, { users: [], fcm })).rejects.toMatchObject({
        message: '`users`: Array must have at least 1 items',
      });
      await expect(service.publishToUsers('x', { users: ['a'], fcm })).rejects.toMatchObject({
        error: 'Instance not found',
      });
    });
  });
});

it('answers 500 with a body that every SDK can read if the storage fails, and publishes nothing', async () => {
  class Away extends MemoryPublishOutbox {
    override add(): Promise<never> {
      return Promise.reject(new Error('secret: the database is away'));
    }
  }
  const app = await startPublishApp({ publish: { publishOutbox: Away } });
  const answer = await app.publish({ interests: ['a'], fcm });
  expect(answer).toMatchObject({
    status: 500,
    text: '{"error":"Something went wrong","description":"Internal server error"}\n',
  });
  await app.close();
});

describe('the rate of an instance', () => {
  it('is a setting of the instance', async () => {
    const app = await startPublishApp({ instances: [{ ...instance, publishesPerSecond: 2 }] });
    const answers = await Promise.all(Array.from({ length: 20 }, () => app.publish({ interests: ['rate'], fcm })));
    const over = answers.filter(({ status }) => status === 429);
    expect(over.length).toBeGreaterThan(10);
    expect(over[0]?.json.description).toBe('Too many requests in quick succession (max 2 requests per second).');
    await app.close();
  });

  it('is 100 requests a second, publishes and deletions together; more are 429', async () => {
    const app = await startPublishApp();
    // All of them in one moment, however slow the machine is.
    for (const rates of app.app.get(RequestRates, { strict: false, each: true })) {
      const take = rates.take.bind(rates);
      vi.spyOn(rates, 'take').mockImplementation((limits) => {
        const clock = vi.spyOn(performance, 'now').mockReturnValue(1e9);
        const seconds = take(limits);
        clock.mockRestore();
        return seconds;
      });
    }
    const refused = {
      status: 429,
      json: {
        error: 'Rate Limited',
        description: 'Too many requests in quick succession (max 100 requests per second).',
      },
    };
    const answers = await Promise.all([
      ...Array.from({ length: 150 }, () => app.publish({ interests: ['rate'], fcm })),
      ...Array.from({ length: 150 }, () => app.deleteUser('nobody')),
    ]);
    const taken = answers.filter(({ status }) => status === 200).length;
    expect(taken).toBe(100);
    const over = answers.filter(({ status }) => status === 429);
    expect(over.length).toBe(300 - taken);
    expect(over.length).toBeGreaterThan(0);
    for (const answer of over) expect(answer).toMatchObject(refused);
    expect(over[0]?.headers.get('retry-after')).toBe('1');
    await app.close();
  });
});
