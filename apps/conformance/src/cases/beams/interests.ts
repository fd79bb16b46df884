import { type Case, sources } from '../../case.js';
import { expects } from '../../matching.js';
import { beamsCase, bytes, device, refusal } from './beams-case.js';

/** Names of interests that a device gets one after the other; all of them must be listed afterwards. */
const named = (id: string, title: string, written: string, name: string): Case =>
  beamsCase(`interest-${id}`, title, sources.deviceApi, async (beams) => {
    const path = `fcm/${await beams.registered()}/interests`;
    const list = async () => (await beams.device('GET', path)).json;
    // Twice: SDKs repeat what was not answered.
    for (const method of ['POST', 'POST', 'DELETE', 'DELETE']) {
      expects('the answer', await beams.device(method, `${path}/${written}`), { status: 200 });
      expects('the interests', await list(), { interests: method === 'POST' ? [name] : [] });
    }
  });

export const interests: readonly Case[] = [
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
  named('escaped', 'A name may be escaped, as the web SDK writes it', 'do%2Cnuts%3B%3D%40.-_', 'do,nuts;=@.-_'),
  named('raw', 'A name may be as it is, as the mobile SDKs write it', 'do,nuts;=@.-_', 'do,nuts;=@.-_'),
  named('164', 'A name may have 164 characters', bytes(164), bytes(164)),
  device('interest-165-device', 'A name of 165 characters is refused', refusal(400), (id) => [
    'POST',
    `fcm/${id}/interests/${bytes(165)}`,
  ]),
  device('interests-5001', '5001 interests are refused', refusal(400), (id) => [
    'PUT',
    `fcm/${id}/interests`,
    { body: { interests: Array.from({ length: 5001 }, (_, n) => `i${n}`) } },
  ]),
  device('interests-malformed', 'Interests of which one is malformed are refused', refusal(400), (id) => [
    'PUT',
    `fcm/${id}/interests`,
    { body: { interests: ['fine', 'a b'] } },
  ]),
  device('interests-no-list', 'Interests that are no list are refused', refusal(400), (id) => [
    'PUT',
    `fcm/${id}/interests`,
    { body: { interests: 'hats' } },
  ]),
  beamsCase('interests-cleared', 'An empty set removes all interests', sources.deviceApi, async (beams) => {
    const path = `fcm/${await beams.registered()}/interests`;
    for (const names of [['a', 'b'], ['b', 'c', 'b'], []]) {
      expects('the answer', await beams.device('PUT', path, { body: { interests: names } }), { status: 200 });
      expects('the interests', (await beams.device('GET', path)).json, { interests: [...new Set(names)] });
    }
  }),
];

const byText = (one: string, other: string): number => (one < other ? -1 : 1);
