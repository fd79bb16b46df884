import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConcurrencyLimiter } from '#common';
import type { JobLease } from 'rookery/internal/jobs';
import type { DeviceAddress } from 'rookery/push-device';
import { type Outcome, PlatformFault } from '../delivery/push.gateway.js';
import { believedAnswers } from './circuit-breaker.js';
import { LeaseLost } from './claimed-publish.js';
import { CircuitBreakers } from './circuit-breakers.js';
import { Sending, type SendingTerms } from './sending.js';

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
      slots: new ConcurrencyLimiter(10).of('instance'),
      breakers: new CircuitBreakers(),
      lease: lease as unknown as JobLease,
      concurrency: devices.length,
      isAtFault: false,
      isCutShort: () => false,
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
    const failed = sending.settled(patienceMs, devices.length).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10 * patienceMs);
    answer(false);
    await vi.advanceTimersByTimeAsync(patienceMs);
    expect(await failed).toBeInstanceOf(LeaseLost);
    expect(sent).toEqual([]);
  });
});

describe('the sends of a page', () => {
  const slots = new ConcurrencyLimiter(100).of('instance');
  const held = { isHeld: true, renew: async () => true } as unknown as JobLease;
  const many = (count: number, bundleIdentifier?: string) =>
    Array.from({ length: count }, (_, n) => ({ id: `${bundleIdentifier} ${n}`, bundleIdentifier }) as DeviceAddress);
  const deliver = (): Outcome => ({ outcome: 'delivered' });

  let breakers: CircuitBreakers;
  let sent: string[];
  let [active, peak] = [0, 0];
  beforeEach(() => {
    breakers = new CircuitBreakers();
    sent = [];
    [active, peak] = [0, 0];
  });

  /** Each send takes a millisecond. */
  function sendTo(
    page: readonly DeviceAddress[],
    answer: (device: DeviceAddress) => Outcome | Promise<Outcome>,
    more: Partial<SendingTerms> = {},
  ): Sending {
    const send = async (device: DeviceAddress) => {
      sent.push(device.id);
      peak = Math.max(peak, (active += 1));
      await new Promise((resolve) => setTimeout(resolve, 1));
      active -= 1;
      return answer(device);
    };
    const terms = { slots, breakers, lease: held, concurrency: 1, isAtFault: false, isCutShort: () => false, ...more };
    return new Sending(page, { ttlMs: 0, send }, terms);
  }
  const settled = async (sending: Sending) => {
    await vi.advanceTimersByTimeAsync(10_000);
    await sending.settled(0, 0);
    expect(slots.held).toBe(0);
    return sending.take();
  };
  const refuse = (app?: string) => (): Outcome => {
    throw new PlatformFault('Wrong key', app);
  };

  it('run at the same time, as many as may, and none when there is no device', async () => {
    const outcome = await settled(sendTo(many(20), deliver, { concurrency: 7 }));
    expect([outcome.sent.length, peak, sent.length]).toEqual([20, 7, 20]);
    expect((await settled(sendTo([], deliver))).deviceIds()).toEqual([]);
  });

  it('end with a fault of the platform that several answers confirm: the other devices wait', async () => {
    const outcome = await settled(sendTo(many(20), refuse()));
    expect([sent.length, outcome.later.length, outcome.faults.size]).toEqual([believedAnswers, 20, 1]);
    expect(new Set(outcome.later.map(({ reason }) => reason))).toEqual(new Set(['PlatformFault']));
  });

  it('go on for the devices of other apps', async () => {
    const [bad, good] = [many(20, 'com.bad'), many(20, 'com.good')];
    const answer = ({ bundleIdentifier }: DeviceAddress) =>
      bundleIdentifier === 'com.bad' ? refuse('com.bad')() : deliver();
    const outcome = await settled(sendTo([...bad, ...good], answer));
    expect([sent.length, outcome.sent, outcome.later.length]).toEqual([believedAnswers + 20, good, 20]);
  });

  it('go on for an app once one of its devices is reached after all', async () => {
    const [first, good, last] = [many(believedAnswers + 1, 'com.bad'), many(60, 'com.good'), many(3, 'com.bad')];
    const answer = async (device: DeviceAddress) => {
      if (!first.includes(device)) return deliver();
      if (device !== first.at(-1)) return refuse('com.bad')();
      await new Promise((resolve) => setTimeout(resolve, 4));
      return deliver();
    };
    const outcome = await settled(sendTo([...first, ...good, ...last], answer, { concurrency: first.length }));
    expect([outcome.later.length, outcome.sent.length]).toEqual([believedAnswers, 1 + 60 + 3]);
  });

  it('are few at a time while all are doubtful', async () => {
    const outcome = await settled(sendTo(many(30), deliver, { concurrency: 20, isAtFault: true }));
    expect([outcome.sent.length, peak]).toEqual([30, believedAnswers]);
  });

  it('are few at a time to the devices of an app at fault alone', async () => {
    for (let n = 0; n < believedAnswers; n += 1) breakers.refused(new PlatformFault('Wrong key', 'com.bad'));
    const [bad, good] = [many(30, 'com.bad'), many(30, 'com.good')];
    const outcome = await settled(sendTo([...bad, ...good], deliver, { concurrency: 12 }));
    expect([outcome.sent.length, sent.length, peak]).toEqual([60, 60, 12 + believedAnswers]);
  });

  it('are tried again after an error that says nothing about the platform', async () => {
    const oops = () => {
      throw new TypeError('oops');
    };
    const outcome = await settled(sendTo(many(20), oops));
    expect([sent.length, outcome.later.length, breakers.isOpen]).toEqual([20, 20, false]);
  });

  it('are left to the next owner if the store does not renew the lease', async () => {
    const lease = { isHeld: false, renew: () => Promise.reject(new Error('away')) } as unknown as JobLease;
    const sending = sendTo(many(3), deliver, { lease });
    await vi.advanceTimersByTimeAsync(10);
    await expect(sending.settled(0, 0)).rejects.toThrow(LeaseLost);
    expect([sent, slots.held]).toEqual([[], 0]);
  });

  it('report each outcome once, and which devices have no answer yet', async () => {
    const answers: (() => void)[] = [];
    const send = () => new Promise<Outcome>((resolve) => answers.push(() => resolve(deliver())));
    const page = many(3);
    const terms = { slots, breakers, lease: held, concurrency: 3, isAtFault: false, isCutShort: () => false };
    const sending = new Sending(page, { ttlMs: 0, send }, terms);
    const settling = sending.settled(100, 2);
    await vi.advanceTimersByTimeAsync(100);
    expect(sending.late).toEqual(page);
    answers[1]!();
    await vi.advanceTimersByTimeAsync(100);
    await settling;
    expect([sending.take().sent, sending.late, sending.take().sent]).toEqual([[page[1]], [page[0], page[2]], []]);
    for (const answer of answers) answer();
    await sending.done;
    expect(sending.take().sent).toHaveLength(2);
  });
});
