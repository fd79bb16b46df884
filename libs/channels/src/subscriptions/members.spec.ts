import { array, assert, json, option, property, record, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memberFrom, rosterText } from './members.js';
import { ChannelsSettings } from '../channels.options.js';

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

describe('the member of a channel_data', () => {
  const { limits } = new ChannelsSettings();

  it.each([
    ['{"user_id":"7"}', { userId: '7' }],
    ['{"user_id":7,"user_info":null}', { userId: '7' }],
    ['{"user_id":1234567890123456781}', { userId: '1234567890123456781' }],
    ['{"user_id":-1.50}', { userId: '-1.50' }],
    ['{"user_id":1,"user_id":"2"}', { userId: '2' }],
    ['{"user_id":"\\u00e9"}', { userId: 'é' }],
    ['{"user_id":"a","user_info":{"n":1e400}}', { userId: 'a', userInfoJson: '{"n":1e400}' }],
    ['{"user_id":"a","user_info":"text"}', { userId: 'a', userInfoJson: '"text"' }],
  ])('%s', (channelData, expected) => {
    expect(memberFrom(channelData, limits)).toEqual(expected);
  });
});
