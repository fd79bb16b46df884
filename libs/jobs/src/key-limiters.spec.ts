import { queryObjects } from 'node:v8';
import { expect, it } from 'vitest';
import type { ClaimedJob } from './job.js';
import { KeyLimiter } from './key-limiter.js';
import { KeyLimiters } from './key-limiters.js';

/** Runs a job of each of so many keys, one after the other. */
function runOfEach(keys: number, perKey: number, isWell: (n: number) => boolean): KeyLimiters {
  const limiters = new KeyLimiters(10, perKey);
  for (let n = 0; n < keys; n++) {
    const share = `key ${n}`;
    limiters.add({ job: { key: share } as ClaimedJob, share, leasedUntil: Infinity, startBy: Infinity });
    for (const started of limiters.start(0)) limiters.finish(started, isWell(n));
  }
  return limiters;
}

it.each([
  ['that went well', 2, () => true, 1000],
  ['that failed', 1, () => false, 1000],
  ['that had one run at a time and went well, which taught it nothing', 1, () => true, 0],
])('remembers at most 1,000 keys %s', (_, perKey, isWell, most) => {
  const before = queryObjects(KeyLimiter, { format: 'count' });
  const limiters = runOfEach(5000, perKey, isWell);
  expect(queryObjects(KeyLimiter, { format: 'count' }) - before).toBe(most);
  expect(limiters.room().limit).toBe(10);
});
