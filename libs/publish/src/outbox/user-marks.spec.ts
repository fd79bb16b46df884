import { expect, it } from 'vitest';
import { bestMarks, UserMarks } from './user-marks.js';

const users = ['alice', 'bob', 'carol'];

it('keeps the best outcome of a user, also over a restart', () => {
  const first = new UserMarks({ users }, '---');
  first.mark('alice', 'f');
  first.mark('bob', 'd');
  first.mark('bob', 'f');
  expect(first.toString()).toBe('fd-');
  const second = new UserMarks({ users }, first.toString());
  second.mark('alice', 'd');
  expect(second.toString()).toBe('dd-');
});

it('has no marks for devices without a user, or of a user outside the audience', () => {
  const marks = new UserMarks({ users }, '---');
  marks.mark(undefined, 'd');
  marks.mark('mallory', 'd');
  expect(marks.toString()).toBe('---');
  const interests = new UserMarks({ interests: ['news'] }, '');
  interests.mark('alice', 'd');
  expect(interests.toString()).toBe('');
});

it.each([
  [[], '---'],
  [['f--'], 'f--'],
  [['fd-', 'd--'], 'dd-'],
  [['ff-', '-ff', '--d'], 'ffd'],
])('merges the partitions %j into %s', (partitions, best) => {
  expect(bestMarks(partitions, 3)).toBe(best);
});
