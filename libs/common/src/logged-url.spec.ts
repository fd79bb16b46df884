import { expect, it } from 'vitest';
import { loggedUrl } from '#common';

it.each([
  ['https://user:password@example.com:8443/hook?token=1#part', 'https://example.com:8443/hook'],
  ['http://example.com', 'http://example.com/'],
  ['listener:PresenceMembership.opened', 'listener:PresenceMembership.opened'],
  ['secret words', '(not a URL)'],
])('writes %s as %s', (url, logged) => {
  expect(loggedUrl(url)).toBe(logged);
});
