import { array, assert, json, option, property, record, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rosterText } from './roster-text.js';

const member = record(
  { userId: string({ unit: 'binary', minLength: 1 }), userInfoJson: option(json(), { nil: undefined }) },
  { requiredKeys: ['userId'] },
).map(({ userId, userInfoJson }) => (userInfoJson === undefined ? { userId } : { userId, userInfoJson }));

describe('rosterText', () => {
  it('is the JSON string of a roster, with users in order and each info unchanged', () => {
    assert(
      property(array(member), (members) => {
        const ids = members.map(({ userId }) => JSON.stringify(userId));
        const hash = members.map(({ userInfoJson }, i) => `${ids[i]}:${userInfoJson ?? 'null'}`);
        const roster = `{"presence":{"count":${ids.length},"ids":[${ids.join(',')}],"hash":{${hash.join(',')}}}}`;
        for (let round = 0; round < 2; round++) expect(rosterText(members)).toBe(JSON.stringify(roster));
      }),
    );
  });
});
