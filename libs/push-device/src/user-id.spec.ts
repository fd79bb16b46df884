import { describe, expect, it } from 'vitest';
import { isStorable, isUserId } from 'rookery/push-device';

describe('a user id', () => {
  it.each(['a', ' ', 'alice@example.com', 'ünïcödé', '💬'.repeat(164), 'x'.repeat(164), 'a/b', '__proto__'])(
    'can be %s',
    (id) => expect(isUserId(id)).toBe(true),
  );

  it.each(['', 'x'.repeat(165), '💬'.repeat(165), 'a\0b', 'half \uD83D of a character'])('cannot be %j', (id) =>
    expect(isUserId(id)).toBe(false),
  );
});

it.each([
  ['text', true],
  ['💬', true],
  ['', true],
  ['\0', false],
  ['\uDCAC', false],
])('%j can be stored unchanged by every store: %s', (text, expected) => expect(isStorable(text)).toBe(expected));
