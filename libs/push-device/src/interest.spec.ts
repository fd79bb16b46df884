import { describe, expect, it } from 'vitest';
import { isInterest } from 'rookery/push-device';

describe('an interest', () => {
  it.each(['a', 'donuts', 'A-z_0-9', '-', '_=@,.;', '.', '__proto__', 'constructor', 'x'.repeat(164)])(
    'can be named %s',
    (name) => expect(isInterest(name)).toBe(true),
  );

  it.each([
    '',
    ' ',
    'a b',
    'a:b',
    'a/b',
    'a\n',
    '\n',
    'ü',
    'a\0',
    'a+b',
    '%20',
    '💬',
    'x'.repeat(165),
    7,
    null,
    undefined,
    ['a'],
  ])('cannot be named %j', (name) => expect(isInterest(name)).toBe(false));
});
