import { expect, it } from 'vitest';
import { copyOf } from './copy-of.js';

class Order {
  readonly lines = [{ article: 'tea' }];

  get size(): number {
    return this.lines.length;
  }
}

it.each([
  ['a text', 'text'],
  ['an array with nothing', [undefined, null, 7]],
  ['a map', new Map([['a', { b: 1 }]])],
  ['a set', new Set([1, 2])],
  ['a date', new Date(7)],
  ['bytes', new Uint8Array([1, 2])],
  ['an object', { a: { b: [1] }, c: undefined }],
])('copies %s', (_, value: unknown) => {
  expect(copyOf(value)).toStrictEqual(value);
});

it('shares nothing with the original, and keeps its class', () => {
  const order = new Order();
  const copy = copyOf(order);
  copy.lines.push({ article: 'cups' });
  copy.lines[0]!.article = 'coffee';
  expect(order.lines).toEqual([{ article: 'tea' }]);
  expect(copy).toBeInstanceOf(Order);
  expect(copy.size).toBe(2);
});

it('copies a circle', () => {
  const order: { self?: object } = {};
  order.self = order;
  const copy = copyOf(order);
  expect(copy.self).toBe(copy);
  expect(copy).not.toBe(order);
});
