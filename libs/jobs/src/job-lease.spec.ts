import { beforeEach, expect, it, vi } from 'vitest';
import type { ClaimedJob } from './job.js';
import { JobLease } from './job-lease.js';
import type { JobStore } from './job.store.js';

const leaseMs = 1000;
let steady = 0;
const now = () => 1_700_000_000_000 + steady;
const renew = vi.fn<JobStore['renew']>();
const job = { id: 'one' } as ClaimedJob;
let lease: JobLease;
beforeEach(() => {
  steady = 0;
  renew.mockReset().mockResolvedValue(true);
  lease = new JobLease({ renew } as unknown as JobStore, job, leaseMs, leaseMs, { now, steady: () => steady });
});

it('is held until it ends, and again as long once it is renewed', async () => {
  steady = leaseMs - 1;
  expect(lease.isHeld).toBe(true);
  steady = leaseMs;
  expect(lease.isHeld).toBe(false);
  expect(await lease.renew()).toBe(true);
  expect(renew.mock.calls).toEqual([[job, now() + leaseMs]]);
  steady += leaseMs - 1;
  expect(lease.isHeld).toBe(true);
  steady += 1;
  expect(lease.isHeld).toBe(false);
});

it('is lost for good once another runner has the job', async () => {
  renew.mockResolvedValueOnce(false);
  expect(await lease.renew()).toBe(false);
  expect(lease.isHeld).toBe(false);
  expect(await lease.renew()).toBe(false);
  expect(lease.isHeld).toBe(false);
  expect(renew).toHaveBeenCalledTimes(1);
});

it('asks the store once for callers at the same time, and again for the next', async () => {
  expect(await Promise.all([lease.renew(), lease.renew()])).toEqual([true, true]);
  expect(renew).toHaveBeenCalledTimes(1);
  await lease.renew();
  expect(renew).toHaveBeenCalledTimes(2);
});
