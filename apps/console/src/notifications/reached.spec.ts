import { expect, it } from 'vitest';
import { reached } from './reached.js';

const times = { pushAt: null, shownAt: null, pushedAt: null, skippedAt: null, readAt: null, withdrawnAt: null };
const pushed = { pushAt: 5, pushedAt: 6 };
const push = { isDone: true, devices: 3, sent: 3, failed: 0, why: null };

it.each([
  [{}, 'not shown'],
  [{ pushAt: 20 }, 'waiting'],
  [{ pushAt: 5 }, 'push is due'],
  [{ ...pushed, push }, 'by push'],
  [{ ...pushed, push, readAt: 7, withdrawnAt: 7 }, 'by push'],
  [{ ...pushed, push: null }, 'outcome not kept'],
  [{ ...pushed, push: { ...push, devices: 0, sent: 0 } }, 'no device'],
  [{ ...pushed, push: { ...push, isDone: false, devices: 0, sent: 0 } }, 'being pushed'],
  [{ ...pushed, push: { ...push, sent: 2, failed: 1, why: 'HTTP 403' } }, '2 of 3 devices'],
  [{ ...pushed, push: { ...push, sent: 0, failed: 3, why: 'HTTP 403' } }, 'failed: HTTP 403'],
  [
    { ...pushed, push: { ...push, isDone: false, sent: 0, why: 'APNs refuses the key' } },
    'waiting: APNs refuses the key',
  ],
  [{ shownAt: 3, readAt: 4, withdrawnAt: 4 }, 'on a page'],
  [{ readAt: 4, withdrawnAt: 4 }, 'read'],
  [{ withdrawnAt: 4 }, 'replaced'],
  [{ pushAt: 5, skippedAt: 6 }, 'push left out'],
])('%j is %s', (given, word) =>
  expect(reached({ ...times, ...given } as Parameters<typeof reached>[0], 10).word).toBe(word),
);
