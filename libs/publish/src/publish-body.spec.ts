import { array, assert, constant, jsonValue, oneof, property as fcProperty, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ApiError, checkedBody } from '#http';
import { InterestsPublish, UsersPublish } from 'rookery/publish';

/** The validation error for a body, if any. */
function wrongIn(of: typeof InterestsPublish | typeof UsersPublish, body: unknown): string | undefined {
  try {
    checkedBody<object>(of, body);
    return undefined;
  } catch (error) {
    return (error as ApiError).message;
  }
}
const interestsPublish = (body: unknown) => wrongIn(InterestsPublish, body);
const usersPublish = (body: unknown) => wrongIn(UsersPublish, body);

const fcm = { notification: { title: 'hi' } };
const long = 'x'.repeat(165);

describe('a publish to interests', () => {
  it.each([
    ['no body', null, '`(root)`: Invalid type. Expected: object, given: null'],
    ['an array', [], '`(root)`: Invalid type. Expected: object, given: array'],
    ['nothing in it', {}, '`interests`: interests is required'],
    ['a stranger instead of interests', { payload: {} }, '`interests`: interests is required'],
    ['a text for interests', { interests: 'a', fcm }, '`interests`: Invalid type. Expected: array, given: string'],
    ['no interest', { interests: [], fcm }, '`interests`: Array must have at least 1 items'],
    [
      '101 interests',
      { interests: Array.from({ length: 101 }, (_, n) => `i${n}`), fcm },
      '`interests`: Array must have at most 100 items',
    ],
    [
      'a number among them',
      { interests: ['a', 5], fcm },
      '`interests.1`: Invalid type. Expected: string, given: integer',
    ],
    ['a long name', { interests: [long], fcm }, '`interests.0`: String length must be less than or equal to 164'],
    ['a bad character', { interests: ['a b'], fcm }, "`interests.0`: Does not match pattern '^[a-zA-Z0-9_\\-=@,.;]+$'"],
    ['an empty name', { interests: [''], fcm }, "`interests.0`: Does not match pattern '^[a-zA-Z0-9_\\-=@,.;]+$'"],
    ['a repeated name', { interests: ['a', 'a'], fcm }, '`interests`: array items must be unique'],
    [
      'a text for allOf',
      { interests: ['a'], allOf: 'b', fcm },
      '`allOf`: Invalid type. Expected: array, given: string',
    ],
    [
      'null for noneOf',
      { interests: ['a'], noneOf: null, fcm },
      '`noneOf`: Invalid type. Expected: array, given: null',
    ],
    [
      'a bad character in allOf',
      { interests: ['a'], allOf: ['b', 'a b'], fcm },
      "`allOf.1`: Does not match pattern '^[a-zA-Z0-9_\\-=@,.;]+$'",
    ],
    [
      'a long name in noneOf',
      { interests: ['a'], noneOf: [long], fcm },
      '`noneOf.0`: String length must be less than or equal to 164',
    ],
    [
      'a repeated name in noneOf',
      { interests: ['a'], noneOf: ['b', 'b'], fcm },
      '`noneOf`: array items must be unique',
    ],
    ['only allOf', { allOf: ['a'], fcm }, '`interests`: interests is required'],
    ['only noneOf', { interests: [], noneOf: ['a'], fcm }, '`interests`: Array must have at least 1 items'],
    [
      '101 interests in noneOf',
      { interests: ['a'], noneOf: Array.from({ length: 101 }, (_, n) => `i${n}`), fcm },
      '`interests`: Array must have at most 100 items together with `allOf` and `noneOf`',
    ],
    [
      '101 interests in all',
      { interests: ['a'], allOf: ['b'], noneOf: Array.from({ length: 99 }, (_, n) => `i${n}`), fcm },
      '`interests`: Array must have at most 100 items together with `allOf` and `noneOf`',
    ],
    ['no platform', { interests: ['a'] }, '`(root)`: Must validate at least one schema (anyOf)'],
    ['a text for a payload', { interests: ['a'], fcm: 'hi' }, '`fcm`: Invalid type. Expected: object, given: string'],
    ['null for a payload', { interests: ['a'], web: null }, '`web`: Invalid type. Expected: object, given: null'],
    ['users too', { interests: ['a'], users: ['b'], fcm }, '`users`: Additional property users is not allowed'],
    [
      'a number for webhookUrl',
      { interests: ['a'], fcm, webhookUrl: 1 },
      '`webhookUrl`: Invalid type. Expected: string, given: integer',
    ],
    ['no URL in webhookUrl', { interests: ['a'], fcm, webhookUrl: 'x' }, "`webhookUrl`: Does not match format 'uri'"],
    [
      'another scheme',
      { interests: ['a'], fcm, webhookUrl: 'file:///etc/passwd' },
      "`webhookUrl`: Does not match format 'uri'",
    ],
    [
      'data.pusher for web',
      { interests: ['a'], web: { data: { pusher: {} } } },
      '`web.data.pusher`: Additional property pusher is not allowed',
    ],
    [
      'a long life for web',
      { interests: ['a'], web: { time_to_live: 2_419_201 } },
      '`web.time_to_live`: Must be less than or equal to 2419200',
    ],
    [
      'a negative life',
      { interests: ['a'], fcm: { time_to_live: -1 } },
      '`fcm.time_to_live`: Must be greater than or equal to 0',
    ],
    [
      'half a second',
      { interests: ['a'], fcm: { time_to_live: 0.5 } },
      '`fcm.time_to_live`: Invalid type. Expected: integer, given: number',
    ],
    [
      'a text for aps',
      { interests: ['a'], apns: { aps: 'hi' } },
      '`apns.aps`: Invalid type. Expected: object, given: string',
    ],
    [
      'a priority of 7',
      { interests: ['a'], apns: { priority: 7 } },
      '`apns.priority`: apns.priority must be one of the following: 1, 5, 10',
    ],
    [
      'a collapse_id that no header can carry',
      { interests: ['a'], apns: { collapse_id: 'spiel—1' } },
      "`apns.collapse_id`: Does not match pattern '^[\\x20-\\x7e]+$'",
    ],
    [
      'a long collapse_id',
      { interests: ['a'], apns: { collapse_id: 'x'.repeat(65) } },
      '`apns.collapse_id`: String length must be less than or equal to 64',
    ],
    [
      'a priority that Google does not know',
      { interests: ['a'], fcm: { priority: 'urgent' } },
      "`fcm.priority`: Does not match pattern '^(normal|high)$'",
    ],
    [
      'a topic of two words',
      { interests: ['a'], web: { topic: 'new offers' } },
      "`web.topic`: Does not match pattern '^[\\w-]{1,32}$'",
    ],
    [
      'a long topic',
      { interests: ['a'], web: { topic: 'x'.repeat(33) } },
      "`web.topic`: Does not match pattern '^[\\w-]{1,32}$'",
    ],
    [
      'a number for a topic',
      { interests: ['a'], web: { topic: 7 } },
      '`web.topic`: Invalid type. Expected: string, given: integer',
    ],
    [
      'an urgency in another case',
      { interests: ['a'], web: { urgency: 'High' } },
      '`web.urgency`: web.urgency must be one of the following: "very-low", "low", "normal", "high"',
    ],
  ])('refuses %s', (_name, body, text) => {
    expect(interestsPublish(body)).toBe(text);
  });

  it.each([
    ['one platform', { interests: ['a'], fcm }],
    [
      'all platforms and a webhook',
      { interests: ['a', 'b-_=@,.;Z9'], apns: {}, fcm, web: {}, webhookUrl: 'http://u:p@example.com/hook' },
    ],
    ['interests combined', { interests: ['a', 'b'], allOf: ['c', 'd'], noneOf: ['e'], fcm }],
    ['interests combined with none', { interests: ['a'], allOf: [], noneOf: [], fcm }],
    [
      '100 interests in all',
      { interests: ['a'], allOf: ['a'], noneOf: Array.from({ length: 98 }, (_, n) => `i${n}`), fcm },
    ],
    ['100 interests', { interests: Array.from({ length: 100 }, (_, n) => `i${n}`), fcm }],
    [
      'what the push services accept as header values',
      {
        interests: ['a'],
        apns: { collapse_id: 'score of 1:2' },
        fcm: { priority: 'HIGH' },
        web: { topic: 'x'.repeat(32), urgency: 'very-low' },
      },
    ],
    ['164 characters', { interests: [long.slice(1)], fcm }],
    ['keys of the gateway that Beams does not know', { interests: ['a'], fcm: { android: { priority: 'HIGH' } } }],
  ])('accepts %s', (_name, body) => {
    expect(interestsPublish(body)).toBeUndefined();
  });
});

describe('a nested payload', () => {
  const nested = (levels: number): unknown => JSON.parse('{"a":'.repeat(levels) + '{}' + '}'.repeat(levels));

  it('is accepted a hundred levels deep', () => {
    expect(interestsPublish({ interests: ['a'], fcm: nested(99) })).toBeUndefined();
  });

  it.each([100, 1000, 30_000])('%i levels deeper is refused, and costs no stack', (levels) => {
    const text = '`fcm`: Must not be nested deeper than 100 levels';
    expect(interestsPublish({ interests: ['a'], fcm: nested(levels) })).toBe(text);
  });
});

describe('any JSON at all', () => {
  const odd = record(
    {
      interests: oneof(array(oneof(constant('a'), jsonValue())), jsonValue()),
      users: jsonValue(),
      allOf: oneof(array(oneof(constant('a'), jsonValue())), jsonValue()),
      noneOf: jsonValue(),
      webhookUrl: jsonValue(),
      apns: jsonValue(),
      fcm: jsonValue(),
      web: jsonValue(),
      ['__proto__']: jsonValue(),
    },
    { requiredKeys: [] },
  );

  it('is accepted as a publish, or refused with one sentence that says why', () => {
    const either = oneof(constant(interestsPublish), constant(usersPublish));
    const property = fcProperty(either, oneof(jsonValue(), odd), (schema, body) => {
      const wrong = schema(body);
      const audience = schema === interestsPublish ? 'interests' : 'users';
      const first = (body as Partial<Record<typeof audience, unknown[]>> | null)?.[audience]?.[0];
      const isRight = wrong === undefined ? typeof first === 'string' : /^`[^]+`: [^]+$/.test(wrong);
      expect(isRight, wrong).toBe(true);
    });
    assert(property);
  });
});

describe('a publish to users', () => {
  it.each([
    ['nothing in it', {}, '`users`: users is required'],
    [
      'interests to exclude',
      { users: ['a'], noneOf: ['b'], fcm },
      '`noneOf`: Additional property noneOf is not allowed',
    ],
    ['no user', { users: [], fcm }, '`users`: Array must have at least 1 items'],
    [
      '1001 users',
      { users: Array.from({ length: 1001 }, (_, n) => `u${n}`), fcm },
      '`users`: Array must have at most 1000 items',
    ],
    ['a thousand times the same', { users: Array(1000).fill('u'), fcm }, '`users`: array items must be unique'],
    ['an empty id', { users: [''], fcm }, '`users.0`: String length must be greater than or equal to 1'],
    ['165 bytes', { users: [`${'é'.repeat(82)}a`], fcm }, '`users.0`: String length must be less than or equal to 164'],
    ['a NUL', { users: ['a\0'], fcm }, "`users.0`: Does not match pattern '^[^\\0\\p{Surrogate}]+$'"],
    ['half an emoji', { users: ['a\ud83d'], fcm }, "`users.0`: Does not match pattern '^[^\\0\\p{Surrogate}]+$'"],
  ])('refuses %s', (_name, body, text) => {
    expect(usersPublish(body)).toBe(text);
  });

  it('accepts any text of 164 bytes, and a webhookUrl', () => {
    expect(
      usersPublish({ users: ['é'.repeat(82), 'a b/ü?', '💬'], web: {}, webhookUrl: 'https://example.com' }),
    ).toBeUndefined();
  });
});
