import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JobLease } from 'rookery/jobs';
import type { DeviceAddress } from 'rookery/push-device';
import { LeaseLost } from './claimed-publish.js';
import { CircuitBreakers } from './circuit-breakers.js';
import { PlatformLimiters } from './concurrency-limiter.js';
import { Sending } from './sending.js';

const devices = ['a', 'b', 'c'].map((id) => ({ id }) as DeviceAddress);
const patienceMs = 100;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A page that is sent while the store, which has to renew the lease, does not answer. */
function start() {
  const renewals: ((isHeld: boolean) => void)[] = [];
  const lease = {
    isHeld: false,
    renew: () => new Promise<boolean>((resolve) => renewals.push(resolve)),
  };
  const sent: string[] = [];
  const send = async ({ id }: DeviceAddress) => {
    sent.push(id);
    return { outcome: 'delivered' } as const;
  };
  const sending = new Sending(
    devices,
    { ttlMs: 0, send },
    {
      slots: new PlatformLimiters(10).of('instance'),
      breakers: new CircuitBreakers(),
      lease: lease as unknown as JobLease,
      concurrency: devices.length,
      isAtFault: false,
    },
  );
  const answer = (isHeld: boolean): void => {
    lease.isHeld = isHeld;
    for (const renewed of renewals.splice(0)) renewed(isHeld);
  };
  return { sending, sent, answer };
}

describe('a page whose lease has to be renewed first', () => {
  it('is not settled before it is sent, however slow the store is', async () => {
    const { sending, sent, answer } = start();
    const settled = vi.fn();
    const waiting = sending.settled(patienceMs, devices.length).then(settled);
    await vi.advanceTimersByTimeAsync(10 * patienceMs);
    expect(sent).toEqual([]);
    expect(settled).not.toHaveBeenCalled();
    answer(true);
    await vi.advanceTimersByTimeAsync(patienceMs);
    await waiting;
    expect(sending.take().sent).toEqual(devices);
  });

  it('is left to the next owner if the lease is lost', async () => {
    const { sending, sent, answer } = start();
    const settled = expect(sending.settled(patienceMs, devices.length)).rejects.toThrow(LeaseLost);
    await vi.advanceTimersByTimeAsync(10 * patienceMs);
    answer(false);
    await vi.advanceTimersByTimeAsync(patienceMs);
    await settled;
    expect(sent).toEqual([]);
  });
});
