import { expect, it } from 'vitest';
import { allPartitions } from '../keys.js';
import { AnswerStamps } from './answer-stamps.js';

const [partition = 0] = allPartitions;

it('keeps the latest stamp of a partition, whatever the order in which answers arrive', () => {
  const stamps = new AnswerStamps();
  expect(stamps.get(partition)).toBe('');
  stamps.changesOf([['1700000000000091', ['came', 'left']]]);
  stamps.changesOf([['1700000000000090', ['came']]]);
  stamps.changesOf([['', []]]);
  expect(stamps.get(partition)).toBe('1700000000000091');
});
