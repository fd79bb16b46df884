import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TransitionOrder } from './transition-order.js';

interface Answer {
  readonly version: number;
}

let order: TransitionOrder;
let told: number[];
beforeEach(() => {
  order = new TransitionOrder();
  told = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const announcing = ({ version }: Answer) => ({ version, announce: () => void told.push(version) });

/** A call that a test answers when it likes. */
function call() {
  let answer!: (version: number) => void;
  let fail!: () => void;
  const promise = new Promise<Answer>((resolve, reject) => {
    answer = (version) => resolve({ version });
    fail = () => reject(new Error('lost'));
  });
  return { make: () => promise, answer, fail };
}

const soon = () => new Promise((resolve) => setImmediate(resolve));

describe('the order of transitions', () => {
  it('announces synchronous answers synchronously', () => {
    expect(order.run('alice', () => ({ version: 1 }), announcing)).toEqual({ version: 1 });
    expect(told).toEqual([1]);
  });

  it('follows the versions, whichever answer comes first', async () => {
    const [leave, join] = [call(), call()];
    const all = [order.run('alice', leave.make, announcing), order.run('alice', join.make, announcing)];
    join.answer(3);
    await soon();
    expect(told).toEqual([]);
    leave.answer(2);
    await Promise.all(all);
    expect(told).toEqual([2, 3]);
  });

  it('does not wait for calls that began after the answer: they can only have later versions', async () => {
    const [leave, join, later] = [call(), call(), call()];
    const both = [order.run('alice', leave.make, announcing), order.run('alice', join.make, announcing)];
    join.answer(2);
    await soon();
    const pending = order.run('alice', later.make, announcing);
    leave.answer(1);
    await Promise.all(both);
    expect(told).toEqual([1, 2]);
    later.answer(3);
    await pending;
    expect(told).toEqual([1, 2, 3]);
  });

  it('delays no other subject', async () => {
    const slow = call();
    const pending = order.run('alice', slow.make, announcing);
    await order.run('bob', async () => ({ version: 7 }), announcing);
    expect(told).toEqual([7]);
    slow.answer(1);
    await pending;
  });

  it('continues after a failed call', async () => {
    const [failing, join] = [call(), call()];
    const failed = order.run('alice', failing.make, announcing);
    const joined = order.run('alice', join.make, announcing);
    join.answer(3);
    failing.fail();
    await expect(failed).rejects.toThrow('lost');
    await joined;
    expect(told).toEqual([3]);
  });

  it('answers after an announcement that takes time', async () => {
    const slowly = ({ version }: Answer) => ({ version, announce: async () => void told.push(version) });
    expect(await order.run('alice', () => ({ version: 1 }), slowly)).toEqual({ version: 1 });
    expect(
      await order.run(
        'alice',
        () => ({ version: 2 }),
        () => undefined,
      ),
    ).toEqual({ version: 2 });
    expect(told).toEqual([1]);
  });

  it('holds a synchronous answer back while a call is in progress, and no longer', async () => {
    const [leave, join] = [call(), call()];
    const all = [order.run('alice', leave.make, announcing), order.run('alice', join.make, announcing)];
    join.answer(3);
    await soon();
    all.push(order.run('alice', () => ({ version: 4 }), announcing));
    await soon();
    expect(told).toEqual([]);
    leave.answer(2);
    await Promise.all(all);
    expect(told).toEqual([2, 3, 4]);
    expect(order.run('alice', () => ({ version: 5 }), announcing)).toEqual({ version: 5 });
    expect(told.at(-1)).toBe(5);
  });

  it('passes the error of the announcement to the caller', async () => {
    const refuse = ({ version }: Answer) => ({ version, announce: () => Promise.reject(new Error('not told')) });
    await expect(order.run('alice', () => ({ version: 1 }), refuse)).rejects.toThrow('not told');
    await expect(order.run('alice', async () => ({ version: 1 }), refuse)).rejects.toThrow('not told');
  });
});

describe('a call that must succeed', () => {
  it('leaves the error of its announcement to the caller, which logs it', async () => {
    const error = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const refuse = ({ version }: Answer) => ({ version, announce: () => Promise.reject(new Error('not told')) });
    await expect(order.insist('alice', async () => ({ version: 1 }), refuse)).rejects.toThrow('not told');
    expect(error).not.toHaveBeenCalled();
  });

  it('is repeated until it is answered, and announced before later changes', async () => {
    vi.useFakeTimers();
    let calls = 0;
    const leave = async (): Promise<Answer> => {
      if (++calls < 4) throw new Error('away');
      return { version: 2 };
    };
    const insisted = order.insist('alice', leave, announcing);
    await expect(insisted).rejects.toThrow('away');
    const joined = order.run('alice', async () => ({ version: 3 }), announcing);
    await vi.advanceTimersByTimeAsync(5000);
    await joined;
    expect([calls, told]).toEqual([4, [2, 3]]);
  });

  it('is repeated less and less often, for a minute, and the log says that it failed', async () => {
    vi.useFakeTimers();
    const error = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
    const start = Date.now();
    const tries: number[] = [];
    // A call may fail at once, and with anything.
    const leave = (): Promise<Answer> => {
      tries.push(Date.now() - start);
      throw 'away';
    };
    await expect(order.insist('alice', leave, announcing)).rejects.toThrow(new Error('away'));
    expect(error).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(tries.slice(0, 5)).toEqual([0, 50, 150, 350, 750]);
    expect(tries.slice(-3)).toEqual([51_350, 56_350, 61_350]);
    expect(error.mock.calls).toEqual([['A change of alice was not made or not announced: away']]);
  });

  it('lets its caller wait until it is repeated no more', async () => {
    vi.useFakeTimers();
    let calls = 0;
    const leave = async (): Promise<Answer> => {
      if (++calls < 3) throw new Error('away');
      return { version: 2 };
    };
    await expect(order.insist('alice', leave, announcing, 'her tab')).rejects.toThrow('away');
    expect([order.repeatOf('alice'), order.repeatOf('her tab')]).toEqual([undefined, expect.any(Promise)]);
    const waited = order.repeatOf('her tab')!.then(() => calls);
    await vi.advanceTimersByTimeAsync(5000);
    expect([await waited, order.repeatOf('her tab')]).toEqual([3, undefined]);
  });

  it('is abandoned after a minute, and then delays nothing', async () => {
    vi.useFakeTimers();
    const failed = order.insist('alice', () => Promise.reject(new Error('away')), announcing);
    await expect(failed).rejects.toThrow('away');
    const joined = order.run('alice', async () => ({ version: 3 }), announcing);
    await vi.advanceTimersByTimeAsync(70_000);
    await joined;
    expect(told).toEqual([3]);
  });
});
