import { expect, it } from 'vitest';
import { shortened } from './shortened.js';

const within = (bytes: number) => (payload: object) => Buffer.byteLength(JSON.stringify(payload)) <= bytes;

it('cuts the longest shown text so that the payload just fits, and keeps the others', () => {
  const notification = { title: 'Title', body: 'abc '.repeat(2000), icon: 'x'.repeat(100) };
  const cut = shortened('web', { notification, data: { a: 1 } }, within(1000));
  const { body } = cut['notification'] as { readonly body: string };
  expect(cut).toEqual({ notification: { ...notification, body }, data: { a: 1 } });
  expect(body).toMatch(/^(abc )+(a|ab|abc)…$/);
  expect(Buffer.byteLength(JSON.stringify(cut))).toBeGreaterThan(990);
});

it('cuts at the end of a character as users see it', () => {
  const family = '👩‍👩‍👧';
  const cut = shortened('apns', { aps: { alert: family.repeat(100) } }, within(100));
  expect(cut).toEqual({ aps: { alert: `${family.repeat(4)}…` } });
});

it('cuts what is shown on Android only', () => {
  const cut = shortened('fcm', { android: { notification: { body: 'x'.repeat(100) } } }, within(60));
  expect(cut).toMatchObject({ android: { notification: { body: expect.stringMatching(/^x+…$/) } } });
});

it.each([{}, { notification: { title: 5 } }, { data: { a: 'x'.repeat(200) }, notification: { title: 'a' } }])(
  'leaves a payload that no cut makes fit: %j',
  (payload) => {
    expect(shortened('web', payload, within(20))).toBe(payload);
  },
);
