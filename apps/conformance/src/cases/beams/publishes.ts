import { type Case, sources } from '../../case.js';
import { expects, type Pattern } from '../../matching.js';
import type { BeamsRequest } from '../../beams.js';
import { beamsCase, bytes, refusal, uuid } from './beams-case.js';

const fcm = { notification: { title: 'Conformance' } };

/** A publish, and the answer that must come. */
const publish = (id: string, title: string, answer: Pattern, body: unknown, more: Partial<BeamsRequest> = {}): Case =>
  beamsCase(id, title, sources.publishApi, async (beams) => {
    const kind = body !== null && typeof body === 'object' && 'users' in body ? 'users' : 'interests';
    expects('the answer', await beams.publish(kind, body, more), answer);
  });

const accepted: Pattern = { status: 200, json: { publishId: new RegExp(`^pubid-${uuid}$`) } };

export const publishes: readonly Case[] = [
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
