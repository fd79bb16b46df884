import { expect, it } from 'vitest';
import type { ClaimedJob } from './job.js';
import type { ClaimedWork } from './key-limiter.js';
import { KeyLimiters } from './key-limiters.js';

const jobOf = (share: string): ClaimedWork => ({
  job: { key: share } as ClaimedJob,
  share,
  leasedUntil: Infinity,
  startBy: Infinity,
});

it('remembers how the latest 1,000 keys went, and none that was used before', () => {
  const limiters = new KeyLimiters(10, 2);
  for (let n = 0; n <= 1000; n++) {
    limiters.add(jobOf(`key ${n}`));
    for (const started of limiters.start(0)) limiters.finish(started, true);
  }
  /** One whose run went well may have two at once. */
  const startedOf = (share: string): number => {
    limiters.add(jobOf(share));
    limiters.add(jobOf(share));
    return limiters.start(0).length;
  };
  expect(startedOf('key 0')).toBe(1);
  expect(startedOf('key 1000')).toBe(2);
});
