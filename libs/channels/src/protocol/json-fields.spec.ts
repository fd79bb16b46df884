import {
  array,
  assert,
  constantFrom,
  double,
  jsonValue,
  oneof,
  property,
  string,
  stringMatching,
  tuple,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldsOf, jsonFields, jsonItems, mayBeRewritten } from './json-fields.js';

const shown = (text: string): unknown => {
  const fields = jsonFields(text);
  return fields && Object.fromEntries(fields);
};

describe('the fields of a JSON object', () => {
  it.each<[string, Record<string, string>]>([
    ['{}', {}],
    [' { \n } ', {}],
    ['{"id":1234567890123456781}', { id: '1234567890123456781' }],
    ['{"id":-0.10e+5 , "next" : 1.0}', { id: '-0.10e+5', next: '1.0' }],
    ['{"a":{"b":[1, 2, {"c": 12345678901234567890}]}}', { a: '{"b":[1,2,{"c":12345678901234567890}]}' }],
    ['{"a":"} , \\" ]","b":[ ]}', { a: '"} , \\" ]"', b: '[]' }],
    ['{"a":"\\\\","b":null}', { a: '"\\\\"', b: 'null' }],
    ['{"user\\u005fid":1}', { user_id: '1' }],
    ['{"a":"\\u00e9\\/"}', { a: '"é/"' }],
    ['{"id":1,"id":{"x":2},"id":3}', { id: '3' }],
    ['{"a": "with  spaces" }', { a: '"with  spaces"' }],
  ])('of %s keep what was sent', (text, expected) => {
    expect(shown(text)).toEqual(expected);
  });

  it.each(['', '7', '"{}"', 'null', '[]', '[{}]', '{', '{"a":01}', '{"a":1,}', "{'a':1}", '{} {}', '{"a":\u00a01}'])(
    'do not exist in %j',
    (text) => {
      expect(jsonFields(text)).toBeUndefined();
    },
  );

  const key = oneof(constantFrom('id', '__proto__', 'constructor', '', 'a"b', '\\'), string({ unit: 'binary' }));
  const space = string({ unit: constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 });
  /** Valid JSON with spaces between all its parts, and often keys that come twice. */
  const object = tuple(array(tuple(key, jsonValue()), { maxLength: 6 }), space).map(([entries, gap]) => {
    const parts = entries.map(
      ([name, value]) => `${JSON.stringify(name)}${gap}:${gap}${JSON.stringify(value, null, gap)}`,
    );
    return `${gap}{${gap}${parts.join(`${gap},${gap}`)}${gap}}${gap}`;
  });

  it('equal the result of JSON.parse, in as few bytes as JSON.stringify needs', () => {
    assert(
      property(object, (text) => {
        const expected = Object.entries(JSON.parse(text) as object).map(([name, value]) => [
          name,
          JSON.stringify(value),
        ]);
        expect(new Map(jsonFields(text))).toEqual(new Map(expected as [string, string][]));
      }),
    );
  });

  it('keep every digit of a number at any depth', () => {
    const number = stringMatching(/^-?(0|[1-9]\d{0,40})(\.\d{1,40})?([eE][+-]?\d{1,3})?$/);
    assert(
      property(number, constantFrom(0, 1, 500), ([...digits], depth) => {
        const value = `${'['.repeat(depth)}${digits.join('')}${']'.repeat(depth)}`;
        expect(shown(`{"a":"1","id":${value}}`)).toEqual({ a: '"1"', id: value });
      }),
    );
  });

  it('exist exactly when JSON.parse returns an object, for any text', () => {
    const piece = constantFrom(...'{}[]",:\\ \n10-.e', '"a"', 'null', 'true', '\\u0061', '{"a":1}');
    assert(
      property(
        oneof(
          array(piece, { maxLength: 12 }).map((all) => all.join('')),
          string(),
          object,
        ),
        (text) => {
          let value: unknown;
          try {
            value = JSON.parse(text);
          } catch {
            // Not JSON.
          }
          const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
          expect(jsonFields(text) !== undefined).toBe(isObject);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('may be nested to any depth that fits into a message', () => {
    const deep = `${'[{"a":'.repeat(20_000)}1${'}]'.repeat(20_000)}`;
    expect(jsonFields(`{"a":${deep},"b":2}`)).toEqual(
      new Map([
        ['a', deep],
        ['b', '2'],
      ]),
    );
  });
});

it('a field of a message must be the JSON of an object', () => {
  expect([...fieldsOf('{"id": 1}', 'user_data')]).toEqual([['id', '1']]);
  expect(() => fieldsOf('[]', 'user_data')).toThrow('user_data must be a JSON object');
});

describe('the items of a JSON array', () => {
  it.each<[string, string[]]>([
    ['[]', []],
    [' [ ] ', []],
    ['[1]', ['1']],
    ['[1234567890123456781, {"a": [2 , 3]},"],"]', ['1234567890123456781', '{"a":[2,3]}', '"],"']],
    ['[[],[[ ]]]', ['[]', '[[]]']],
  ])('of %s keep what was sent', (text, expected) => {
    expect(jsonItems(text)).toEqual(expected);
  });

  it.each(['', '{}', '"[]"', '[1', '[01]', '[1,]'])('do not exist in %j', (text) => {
    expect(jsonItems(text)).toBeUndefined();
  });

  it('equal the result of JSON.parse', () => {
    const gap = string({ unit: constantFrom(' ', '\t', '\n'), maxLength: 3 });
    assert(
      property(array(jsonValue(), { maxLength: 6 }), gap, (items, space) => {
        const text = `[${items.map((item) => `${space}${JSON.stringify(item, null, space)}${space}`).join(',')}]`;
        expect(jsonItems(text)).toEqual(items.map((item) => JSON.stringify(item)));
      }),
    );
  });
});

describe('a number that JSON.stringify would write otherwise', () => {
  it.each([
    '1.0',
    '-1.50',
    '1e400',
    '1E5',
    '2.5e-3',
    '-0',
    '-0.0',
    '0.0000001',
    '12345678.12345678901',
    '1234567890123456789',
  ])('%s is noticed', (number) => {
    for (const json of [number, `[${number}]`, `{"a":${number}}`, `{ "a" : [1, ${number}] , "b":2}`])
      expect([json, mayBeRewritten(`{"data":${json}}`)]).toEqual([json, true]);
  });

  it.each(['1', '10', '0', '-10', '1.05', '0.5', '100.25', '0.000001', '"1e5"', '"1.0"', '"4e5f-0"', 'true'])(
    '%s is none',
    (value) => {
      expect(mayBeRewritten(`{"data":${value},"b":[${value}, ${value}]}`)).toBe(false);
    },
  );

  it('is noticed wherever the two differ', () => {
    const decimal = stringMatching(/^-?(0|[1-9]\d{0,12})(\.\d{1,12})?([eE][-+]?\d{1,3})?$/);
    const number = oneof(decimal, double({ noNaN: true, noDefaultInfinity: true }).map(String));
    assert(
      property(array(number, { minLength: 1 }), (numbers) => {
        const json = `{"data":[${numbers.join(',')}]}`;
        expect(mayBeRewritten(json) || JSON.stringify(JSON.parse(json)) === json).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
