import { describe, expect, it } from 'vitest';
import { ChannelsSettings } from '../channels.options.js';
import { memberFrom } from './user-data.js';

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
