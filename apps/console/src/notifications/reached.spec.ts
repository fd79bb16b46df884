import { expect, it } from 'vitest';
import { reached } from './reached.js';

const times = { pushAt: null, shownAt: null, pushedAt: null, skippedAt: null, readAt: null, withdrawnAt: null };

it.each([
  [{}, 'not shown'],
  [{ pushAt: 20 }, 'waiting'],
  [{ pushAt: 5 }, 'push is due'],
  [{ pushAt: 5, pushedAt: 6 }, 'by push'],
  [{ pushAt: 5, pushedAt: 6, readAt: 7, withdrawnAt: 7 }, 'by push'],
  [{ shownAt: 3, readAt: 4, withdrawnAt: 4 }, 'on a page'],
  [{ readAt: 4, withdrawnAt: 4 }, 'read'],
  [{ withdrawnAt: 4 }, 'replaced'],
  [{ pushAt: 5, skippedAt: 6 }, 'push left out'],
])('%j is %s', (given, word) =>
  expect(reached({ ...times, ...given } as Parameters<typeof reached>[0], 10).word).toBe(word),
);
