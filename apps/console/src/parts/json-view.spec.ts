import { describe, expect, it } from 'vitest';
import { prettyText, tokensOf } from './json-view.js';

describe('displayed JSON', () => {
  it.each([
    ['{"a":1}', '{\n  "a": 1\n}'],
    ['hello', 'hello'],
    ['{"a":', '{"a":'],
    ['"text"', '"text"'],
    ['', ''],
  ])('indents %j', (data, shown) => expect(prettyText(data)).toBe(shown));

  it('shows values that are not texts', () => {
    expect(prettyText({ a: [null] })).toBe('{\n  "a": [\n    null\n  ]\n}');
    expect(prettyText(undefined)).toBe('');
  });

  it('distinguishes keys, texts and values', () => {
    expect(tokensOf('{ "a\\"b": "true", "n": -1.5e3 }').filter(({ kind }) => kind)).toEqual([
      { kind: 'key', text: '"a\\"b"' },
      { kind: 'text', text: '"true"' },
      { kind: 'key', text: '"n"' },
      { kind: 'value', text: '-1.5e3' },
    ]);
  });

  it.each(['{"a": [1, "<img onerror=x>"]}', 'plain "text" 12', '', '[', '"unclosed', '{"a\\u0000": null}x'])(
    'loses nothing of %j',
    (text) => {
      expect(
        tokensOf(text)
          .map((token) => token.text)
          .join(''),
      ).toBe(text);
    },
  );
});
