import { expect, it } from 'vitest';
import { userInfo } from './user-info.js';

it.each([
  ['{"a":1}', { userInfoJson: '{"a":1}' }],
  ['"é345"', { userInfoJson: '"é345"' }],
  ['null', {}],
  [undefined, {}],
])('the info %s of at most 7 bytes is %o', (json, expected) => {
  expect(userInfo(json, 7)).toStrictEqual(expected);
});

it('is refused if it has too many bytes', () => {
  expect(() => userInfo('"é3456"', 7)).toThrow('user_info is larger than 7 bytes');
});
