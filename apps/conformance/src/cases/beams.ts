import { type Case, sources } from '../case.js';
import { expects, type Pattern } from '../matching.js';
import type { Beams, BeamsRequest } from '../beams.js';
import type { Subject } from '../subject.js';

/** As every SDK reads an error. */
const refusal = (status: number): Pattern => ({ status, json: { error: /./, description: /./ } });
const bytes = (count: number): string => 'x'.repeat(count);
const fcm = { notification: { title: 'Conformance' } };
const uuid = '[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}';

const beamsCase = (
  id: string,
  title: string,
  source: string,
  run: (beams: Beams, subject: Subject) => Promise<void>,
): Case => ({
  id: `beams/${id}`,
  title,
  profile: 'beams',
  source,
  run: (subject) => run(subject.beams(), subject),
});

/** A publish, and the answer that must come. */
const publish = (id: string, title: string, answer: Pattern, body: unknown, more: Partial<BeamsRequest> = {}): Case =>
  beamsCase(id, title, sources.publishApi, async (beams) => {
    const kind = body !== null && typeof body === 'object' && 'users' in body ? 'users' : 'interests';
    expects('the answer', await beams.publish(kind, body, more), answer);
  });

const accepted: Pattern = { status: 200, json: { publishId: new RegExp(`^pubid-${uuid}$`) } };

/** A request about a device, and the answer that must come. */
const device = (
  id: string,
  title: string,
  answer: Pattern,
  request: (deviceId: string) => readonly [method: string, path: string, more?: Partial<BeamsRequest>],
): Case =>
  beamsCase(id, title, sources.deviceApi, async (beams) => {
    const [method, path, more] = request(await beams.registered());
    expects('the answer', await beams.device(method, path, more), answer);
  });

const publishes: readonly Case[] = [
  publish('publish', 'A publish to interests is answered with its id', accepted, { interests: ['conformance'], fcm }),
  publish('publish-users', 'A publish to users is answered with its id', accepted, { users: ['nobody'], fcm }),
  publish('interests-100', '100 interests are accepted', accepted, {
    interests: Array.from({ length: 100 }, (_, n) => `conformance-${n}`),
    fcm,
  }),
  publish('interests-101', '101 interests are refused', refusal(422), {
    interests: Array.from({ length: 101 }, (_, n) => `conformance-${n}`),
    fcm,
  }),
  publish('no-interests', 'A publish without interests is refused', refusal(422), { interests: [], fcm }),
  publish('interest-characters', 'An interest with other characters is refused', refusal(422), {
    interests: ['a b'],
    fcm,
  }),
  publish('interest-165', 'An interest of 165 characters is refused', refusal(422), { interests: [bytes(165)], fcm }),
  publish('users-twice', 'A user that is named twice is refused', refusal(422), { users: ['ann', 'ann'], fcm }),
  publish('users-1001', '1001 users are refused', refusal(422), {
    users: Array.from({ length: 1001 }, (_, n) => `user-${n}`),
    fcm,
  }),
  publish('user-165', 'A user id of 165 bytes is refused', refusal(422), { users: [bytes(165)], fcm }),
  publish('no-payload', 'A publish without a payload is refused', refusal(422), { interests: ['conformance'] }),
  publish('wrong-types', 'Interests that are no list are refused', refusal(422), { interests: 'conformance', fcm }),
  publish('not-json', 'A body that is no JSON is refused', refusal(400), '{"interests"'),
  publish('too-large', 'A publish to interests of more than 10 KiB is refused', refusal(400), {
    interests: ['conformance'],
    fcm: { data: { text: bytes(11_000) } },
  }),
  publish(
    'wrong-key',
    'A wrong secret key is refused',
    refusal(401),
    { interests: ['a'], fcm },
    { secretKey: 'wrong' },
  ),
  publish(
    'no-key',
    'A publish without a secret key is refused',
    refusal(400),
    { interests: ['a'], fcm },
    { headers: { authorization: undefined } },
  ),
  publish(
    'content-type',
    'A body of another type is refused',
    refusal(400),
    { interests: ['a'], fcm },
    { headers: { 'content-type': 'text/plain' } },
  ),
  publish(
    'unknown-instance',
    'An unknown instance is not found',
    refusal(404),
    { interests: ['a'], fcm },
    { instanceId: '00000000-0000-4000-8000-000000000000' },
  ),
  beamsCase('publishes', 'The path that Go and Ruby publish to works as well', sources.goSdk, async (beams) => {
    expects('the answer', await beams.publish('', { interests: ['conformance'], fcm }), accepted);
  }),
];

const devices: readonly Case[] = [
  beamsCase('register', 'A device gets an id of its platform, and its interests', sources.androidSdk, async (beams) => {
    const body = { token: beams.token(), knownPreviousClientIds: [], metadata: { sdkVersion: '1.9.2' } };
    expects('the answer', await beams.register(body), {
      status: 200,
      json: { id: new RegExp(`^fcm-${uuid}$`), initialInterestSet: [] },
    });
  }),
  beamsCase('register-again', 'A token that registers again keeps its interests', sources.androidSdk, async (beams) => {
    const body = { token: beams.token() };
    const { id } = (await beams.register(body)).json as { readonly id: string };
    await beams.device('POST', `fcm/${id}/interests/hats`);
    const again = await beams.register(body);
    expects('the answer', again, { status: 200, json: { initialInterestSet: ['hats'] } });
  }),
  beamsCase('no-token', 'A registration without a token is refused', sources.deviceApi, async (beams) => {
    expects('the answer', await beams.register({}), refusal(400));
  }),
  beamsCase('no-bundle', 'An Apple device without a bundle id is refused', sources.deviceApi, async (beams) => {
    expects('the answer', await beams.device('POST', 'apns', { body: { token: 'abcd' } }), refusal(400));
  }),
  device('get', 'A device can be read', { status: 200, json: { id: /^fcm-/, metadata: {} } }, (id) => [
    'GET',
    `fcm/${id}`,
  ]),
  device('get-unknown', 'An unknown device is not found', refusal(404), () => [
    'GET',
    'fcm/fcm-00000000-0000-4000-8000-000000000000',
  ]),
  device('delete', 'A device can be removed', { status: 200 }, (id) => ['DELETE', `fcm/${id}`]),
  device('delete-unknown', 'Removing an unknown device succeeds, or Android asks for ever', { status: 200 }, () => [
    'DELETE',
    'fcm/fcm-00000000-0000-4000-8000-000000000000',
  ]),
  device('metadata', 'Metadata can be changed', { status: 200 }, (id) => [
    'PUT',
    `fcm/${id}/metadata`,
    { body: { sdkVersion: '2.0.0', androidVersion: '15' } },
  ]),
  device('token', 'A device can get another token', { status: 200 }, (id) => [
    'PUT',
    `fcm/${id}/token`,
    { body: { token: `another-${id}` } },
  ]),
  device('no-body-type', 'A request without a body may name a type', { status: 200 }, (id) => [
    'POST',
    `fcm/${id}/interests/hats`,
    { headers: { 'content-type': 'application/json' } },
  ]),
  device('interest-characters-device', 'An interest with other characters is refused', refusal(400), (id) => [
    'POST',
    `fcm/${id}/interests/a%20b`,
  ]),
  device('interest-absent', 'Removing an interest that it has not succeeds', { status: 200 }, (id) => [
    'DELETE',
    `fcm/${id}/interests/never`,
  ]),
  device('interest-of-unknown', 'An interest for an unknown device is not found', refusal(404), () => [
    'POST',
    'fcm/fcm-00000000-0000-4000-8000-000000000000/interests/hats',
  ]),
  device('limit', 'A limit of interests that is no number is refused', refusal(400), (id) => [
    'GET',
    `fcm/${id}/interests?limit=x`,
  ]),
  beamsCase('interests', 'Interests are replaced, and listed page by page', sources.deviceApi, async (beams) => {
    const id = await beams.registered();
    const interests = Array.from({ length: 150 }, (_, n) => `interest-${n}`);
    const put = await beams.device('PUT', `fcm/${id}/interests`, { body: { interests } });
    expects('the answer', put, { status: 200 });
    const listed: string[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const { json } = await beams.device(
        'GET',
        `fcm/${id}/interests${cursor && `?cursor=${encodeURIComponent(cursor)}`}`,
      );
      const page = json as {
        readonly interests: readonly string[];
        readonly responseMetadata: { nextCursor?: string };
      };
      if (page.interests.length > 100) expects('the interests of a page', page.interests.length, 100);
      listed.push(...page.interests);
      cursor = page.responseMetadata.nextCursor;
    }
    const isAll = (found: unknown): boolean => JSON.stringify(found) === JSON.stringify(interests.toSorted(byText));
    expects('all interests', listed.toSorted(byText), isAll);
  }),
  beamsCase('cors', 'A page of another origin may register its browser', sources.webSdk, async (beams) => {
    const { headers, status } = await beams.preflight('web', 'POST', 'content-type');
    const names = (text: unknown): boolean => text === '*' || /content-type/i.test(String(text));
    expects(
      'the answer',
      { isOk: status < 300, ...headers },
      {
        isOk: true,
        'access-control-allow-origin': /./,
        'access-control-allow-headers': names,
      },
    );
  }),
];

const byText = (one: string, other: string): number => (one < other ? -1 : 1);

const users: readonly Case[] = [
  beamsCase(
    'user',
    'A device belongs to the user of its token, also if told twice',
    sources.deviceApi,
    async (beams) => {
      const id = await beams.registered();
      const path = `fcm/${id}/user`;
      for (let times = 0; times < 2; times++)
        expects('the answer', await beams.device('PUT', path, { token: beams.userToken('ann') }), { status: 200 });
      expects('the device', (await beams.device('GET', `fcm/${id}`)).json, { userId: 'ann' });
      expects('for another user', await beams.device('PUT', path, { token: beams.userToken('ben') }), refusal(400));
    },
  ),
  device('user-no-token', 'A user without a token is refused', refusal(401), (id) => ['PUT', `fcm/${id}/user`]),
  device('user-nonsense', 'A token that is none is refused', refusal(401), (id) => [
    'PUT',
    `fcm/${id}/user`,
    { token: 'nonsense' },
  ]),
  beamsCase('user-signature', 'A token with another signature is refused', sources.deviceApi, async (beams) => {
    const id = await beams.registered();
    const token = beams.userToken('ann', { secretKey: 'wrong' });
    const { status } = await beams.device('PUT', `fcm/${id}/user`, { token });
    expects('the status', status, (value) => value === 401 || value === 403);
  }),
  beamsCase('user-issuer', 'A token of another issuer is refused with 403', sources.deviceApi, async (beams) => {
    const id = await beams.registered();
    const token = beams.userToken('ann', { iss: 'https://example.com' });
    expects('the answer', await beams.device('PUT', `fcm/${id}/user`, { token }), refusal(403));
  }),
  beamsCase('user-no-exp', 'A token that never ends is refused', sources.deviceApi, async (beams) => {
    const id = await beams.registered();
    const token = beams.userToken('ann', { exp: undefined });
    expects('the answer', await beams.device('PUT', `fcm/${id}/user`, { token }), refusal(400));
  }),
  beamsCase('user-removed', 'Removing a user removes its devices', sources.customerApi, async (beams, { run }) => {
    const id = await beams.registered();
    await beams.device('PUT', `fcm/${id}/user`, { token: beams.userToken(`ann-${run}`) });
    expects('the answer', await beams.removeUser(`ann-${run}`), { status: 200 });
    expects('the device', await beams.device('GET', `fcm/${id}`), { status: 404 });
  }),
];

export const beams: readonly Case[] = [...publishes, ...devices, ...users];
