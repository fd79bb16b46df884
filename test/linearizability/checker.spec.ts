import { describe, expect, it } from 'vitest';
import { inexplicable, type Model } from './checker.js';
import { byKey, type Operation } from './history.js';

interface Call {
  readonly write?: number;
  readonly key?: string;
}

const register: Model<Call, number | 'written', number> = {
  initial: 0,
  step(value, { write }, output) {
    if (write !== undefined) return [write];
    return output === undefined || output === value ? [value] : [];
  },
};

const write = (value: number, calledAt: number, answeredAt = Infinity): Operation<Call, number | 'written'> =>
  answeredAt < Infinity
    ? { input: { write: value }, output: 'written', calledAt, answeredAt }
    : { input: { write: value }, calledAt, answeredAt };
const read = (output: number, calledAt: number, answeredAt: number): Operation<Call, number | 'written'> => {
  return { input: {}, output, calledAt, answeredAt };
};

describe('a history of a register', () => {
  it.each([
    ['of nothing', []],
    ['one call after the other', [write(1, 0, 1), read(1, 2, 3), write(2, 4, 5), read(2, 6, 7)]],
    ['that reads early what is being written', [write(1, 0, 9), read(1, 1, 2)]],
    ['that reads late what is being written', [write(1, 0, 9), read(0, 1, 2), read(1, 3, 4)]],
    ['of writes at once, either last', [write(1, 0, 5), write(2, 1, 6), read(1, 7, 8)]],
    ['that reads a write without an answer', [write(1, 0), read(1, 1, 2)]],
    ['that reads a write without an answer much later', [write(1, 0), read(0, 1, 2), read(0, 3, 4), read(1, 5, 6)]],
    ['that never reads a write without an answer', [write(1, 0), read(0, 1, 2)]],
  ])('%s is explained', (_, operations) => {
    expect(inexplicable(register, operations)).toBeUndefined();
  });

  it.each([
    ['that reads what was never written', [write(1, 0, 1), read(2, 2, 3)]],
    ['that reads an old value', [write(1, 0, 1), write(2, 2, 3), read(1, 4, 5)]],
    ['that reads what is written later', [read(1, 0, 1), write(1, 2, 3)]],
    ['that reads a new value and then the old one', [write(1, 0, 9), read(1, 1, 2), read(0, 3, 4)]],
    [
      'whose readers see two writes in two orders',
      [write(1, 0, 9), write(2, 0, 9), read(1, 1, 2), read(2, 3, 4), read(1, 5, 6)],
    ],
    ['that forgets a write without an answer', [write(1, 0), read(1, 1, 2), read(0, 3, 4)]],
  ])('%s is not', (_, operations) => {
    expect(inexplicable(register, operations)).not.toBeUndefined();
  });

  it('names the calls that cannot be explained', () => {
    const wrong = read(7, 4, 5);
    expect(inexplicable(register, [write(1, 0, 1), read(1, 2, 3), wrong])).toEqual([wrong]);
  });

  it('of six writers at once for a hundred rounds is checked at once', () => {
    const rounds = Array.from({ length: 100 }, (_, round) => [
      ...Array.from({ length: 6 }, (__, n) => write(n, 100 * round + n, 100 * round + 50 + n)),
      read(round % 6, 100 * round + 80, 100 * round + 81),
    ]).flat();
    expect(inexplicable(register, rounds)).toBeUndefined();
    expect(inexplicable(register, [...rounds, read(11, 99_999, 100_000)])).toHaveLength(1);
  });
});

it('the operations of each key are a history of their own', () => {
  const [a, b] = [
    { ...write(1, 0, 1), input: { write: 1, key: 'a' } },
    { ...read(0, 2, 3), input: { key: 'b' } },
  ];
  expect([...byKey([a, b], ({ key }) => key).values()]).toEqual([[a], [b]]);
});
