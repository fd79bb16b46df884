import { expect, it } from 'vitest';
import { faultOf, formats, isFaulty } from './schema.js';

const url = { type: 'string', format: 'uri', pattern: '^https?://' };
const hook = {
  type: 'object',
  properties: { url, events: { type: 'array', items: { enum: ['a', 'b'] } }, limit: { type: 'integer', minimum: 1 } },
  required: ['url', 'events'],
  additionalProperties: false,
};

it.each([
  [{ url: 'https://example.com/hooks', events: ['a'] }, false],
  [{ url: 'http://10.0.0.7:8080', events: ['a'], limit: 1 }, false],
  [{ url: 'https://********@example.com', events: ['b'] }, false],
  [{}, true],
  [{ url: '', events: ['a'] }, true],
  [{ url: 'example.com', events: ['a'] }, true],
  [{ url: 'https://', events: ['a'] }, true],
  [{ url: 'https://example.com', events: [] }, true],
  [{ url: 'https://example.com', events: ['a'], limit: 0 }, true],
  [{ url: 'https://example.com', events: ['a'], limit: 1.5 }, true],
])('%j in a list is refused: %s', (value, isRefused) => {
  expect(isFaulty({ type: 'array', items: hook }, [value])).toBe(isRefused);
});

it('takes an absent object, but none without what it needs', () => {
  const orNull = { anyOf: [hook, { type: 'null' }], default: null };
  expect([isFaulty(orNull, null), isFaulty(orNull, { limit: 1 })]).toEqual([false, true]);
});

it.each([
  [{ type: 'integer', minimum: 1, maximum: 9 }, 10, 'Enter a whole number from 1 to 9.'],
  [{ type: 'number', minimum: 0 }, -1, 'Enter a number of at least 0.'],
  [{ type: 'object', additionalProperties: { type: 'string' } }, 'no pair', 'Write each line as Name: value.'],
  [{ type: 'object' }, '{', 'Not valid JSON.'],
  [url, '********', undefined],
])('%j says of %j: %s', (schema, value, fault) => expect(faultOf(schema, value)).toBe(fault));

it.each([
  ['', {}],
  ['X-One: 1\n\n X-Two:  a: b ', { 'X-One': '1', 'X-Two': 'a: b' }],
  ['no header', 'no header'],
])('the pairs in %j are %j', (text, pairs) => expect(formats.pairs.read(text)).toEqual(pairs));

it('writes pairs as they are read', () => {
  const pairs = { Authorization: 'Bearer x', 'X-Two': '2' };
  expect(formats.pairs.read(formats.pairs.write(pairs))).toEqual(pairs);
});

it.each([
  ['{"a":1}', { a: 1 }],
  ['[]', '[]'],
  ['{', '{'],
])('the object in %j is %j', (text, object) => expect(formats.json.read(text)).toEqual(object));
