import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDeviceApi } from '../support/push-app.js';

let api: Awaited<ReturnType<typeof startDeviceApi>>;
beforeAll(async () => {
  api = await startDeviceApi();
});
afterAll(() => api.close());

const named = (count: number) => Array.from({ length: count }, (_, number) => `i${String(number).padStart(5, '0')}`);
const deviceNotFound = [404, { error: 'Not found', description: 'Device not found' }];
const invalidName = [400, { error: 'Invalid interest name', description: '`interest-name` given is not valid.' }];
const invalidId = [400, { error: 'Bad Request', description: '`device-id` given is not valid.' }];

const withInterests = async (interests: readonly string[]) => {
  const path = `${await api.registered()}/interests`;
  expect((await api.call('PUT', path, { body: { interests } })).status).toBe(200);
  return path;
};

/** All interests of a device, gathered page by page. */
async function walk(path: string, limit: number, between: (page: number) => unknown = () => undefined) {
  const interests: string[] = [];
  let query = `?limit=${limit}`;
  for (let page = 1; ; page++) {
    const { json } = await api.call('GET', path + query);
    interests.push(...json.interests);
    if (json.responseMetadata.nextCursor === undefined) return interests;
    query = `?limit=${limit}&cursor=${encodeURIComponent(json.responseMetadata.nextCursor)}`;
    await between(page);
  }
}

describe('GET …/interests', () => {
  it('answers a page of a hundred by default, and the next cursor', async () => {
    const path = await withInterests(named(250));
    const { status, json } = await api.call('GET', path);
    expect(status).toBe(200);
    expect(json).toEqual({
      interests: named(100),
      responseMetadata: { nextCursor: expect.stringMatching(/^[\w-]+$/) },
    });
    expect(await walk(path, 100)).toEqual(named(250));
    expect(await walk(path, 7)).toEqual(named(250));
  });

  it.each([0, 1, 100])('answers no cursor when %i interests are all', async (count) => {
    const { json } = await api.call('GET', `${await withInterests(named(count))}?limit=100`);
    expect(json).toEqual({ interests: named(count), responseMetadata: {} });
  });

  it('stays consistent while interests change', async () => {
    const path = await withInterests(named(30));
    const seen = await walk(path, 10, async (page) => {
      if (page !== 1) return;
      await api.call('DELETE', `${path}/i00009`);
      await api.call('DELETE', `${path}/i00010`);
      await api.call('POST', `${path}/a-new-one-before`);
      await api.call('POST', `${path}/i00015a`);
    });
    expect(seen).toEqual([...named(30).filter((name) => name !== 'i00010'), 'i00015a'].toSorted());
  });

  it.each(['0', '101', '-1', '1.5', 'ten', '', '1e1', '5&limit=6'])('refuses limit=%s', async (limit) => {
    const { status, json } = await api.call('GET', `${await withInterests([])}?limit=${limit}`);
    expect([status, json]).toEqual([400, { error: 'Bad Request', description: '`limit` given is not valid.' }]);
  });

  it.each(['', 'x', '!', 'aTAwMDAx', '%00', 'PmE%3D', 'PmE&cursor=PmE'])('refuses cursor=%s', async (cursor) => {
    const { status, json } = await api.call('GET', `${await withInterests([])}?cursor=${cursor}`);
    expect([status, json]).toEqual([400, { error: 'Bad Request', description: '`cursor` given is not valid.' }]);
  });

  it('does not find an unknown device', async () => {
    const { status, json } = await api.call('GET', 'devices/fcm/fcm-unknown/interests');
    expect([status, json]).toEqual(deviceNotFound);
  });
});

describe('PUT …/interests', () => {
  it('accepts 5000 names of 164 characters', async () => {
    const names = named(5000).map((name) => name.padEnd(164, '-_=@,.;'));
    expect(await walk(await withInterests(names), 100)).toEqual(names);
  });

  it('refuses 5001', async () => {
    const path = await withInterests(['kept']);
    const { status, json } = await api.call('PUT', path, { body: { interests: named(5001) } });
    expect([status, json.error]).toEqual([400, 'Interest set too large']);
    expect(await walk(path, 100)).toEqual(['kept']);
  });

  it.each(['', 'with space', 'ü', 'a/b', 'a:b', 'x'.repeat(165), 7, null, ['a']])(
    'refuses the name %j and changes nothing',
    async (name) => {
      const path = await withInterests(['kept']);
      const { status, json } = await api.call('PUT', path, { body: { interests: ['fine', name] } });
      expect([status, json]).toEqual(invalidName);
      expect(await walk(path, 100)).toEqual(['kept']);
    },
  );

  it.each([{}, { interests: 'a' }, { interests: null }, { interests: { 0: 'a' } }])('refuses %j', async (body) => {
    const { status, json } = await api.call('PUT', await withInterests([]), { body });
    expect([status, json.error]).toEqual([400, 'Bad request']);
  });

  it.each(['', '{', '["a"]', 'null'])('refuses the body %j', async (body) => {
    const headers = { 'content-type': 'application/json' };
    const { status, json } = await api.call('PUT', await withInterests([]), { body, headers });
    expect([status, json]).toEqual([
      400,
      { error: 'Bad request', description: 'Failed to read body as a JSON object.' },
    ]);
  });

  it('refuses an endless body', async () => {
    const { status, json } = await api.call('PUT', await withInterests([]), {
      body: { interests: ['x'.repeat(3 * 1024 * 1024)] },
    });
    expect([status, json.error]).toEqual([400, 'Bad request']);
    expect(json.description).toMatch(/^Request body size is too large/);
  });

  it('does not find an unknown device', async () => {
    const { status, json } = await api.call('PUT', 'devices/fcm/fcm-unknown/interests', { body: { interests: [] } });
    expect([status, json]).toEqual(deviceNotFound);
  });
});

describe('POST and DELETE …/interests/<name>', () => {
  it('accepts a JSON content type without a body, as the iOS SDK sends it', async () => {
    const path = await withInterests([]);
    const headers = { 'content-type': 'application/json' };
    for (const method of ['POST', 'DELETE'])
      expect((await api.call(method, `${path}/donuts`, { headers })).status).toBe(200);
  });

  it.each(['%20', 'a%2Fb', 'a/b', 'a:b', '%C3%BC', 'x'.repeat(165), 'x'.repeat(5000)])(
    'refuses the name %s',
    async (name) => {
      const path = await withInterests([]);
      for (const method of ['POST', 'DELETE']) {
        const { status, json } = await api.call(method, `${path}/${name}`);
        expect([status, json]).toEqual(invalidName);
      }
    },
  );

  it('allows at most 5000, also for concurrent requests', async () => {
    const path = await withInterests(named(4998));
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, number) => api.call('POST', `${path}/more-${number}`)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    const refusals = answers.filter(({ status }) => status !== 200).map(({ status, json }) => [status, json.error]);
    expect(refusals).toEqual(Array.from({ length: 4 }, () => [400, 'Interest set too large']));
    expect((await api.call('POST', `${path}/i00000`)).status).toBe(200);
  });

  it.each(['POST', 'DELETE'])('%s does not find an unknown device: the SDKs then register again', async (method) => {
    const unknown = await api.call(method, 'devices/fcm/fcm-unknown/interests/donuts');
    expect([unknown.status, unknown.json]).toEqual(deviceNotFound);
    const invalid = await api.call(method, 'devices/fcm/not!an!id/interests/donuts');
    expect([invalid.status, invalid.json]).toEqual(invalidId);
  });
});
