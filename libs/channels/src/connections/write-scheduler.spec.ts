import { describe, expect, it } from 'vitest';
import { until } from '../../../../test/support/until.js';
import { WriteScheduler } from './write-scheduler.js';

/** Keeps the thread busy, as a write to the kernel does. */
function work(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
}

describe('WriteScheduler', () => {
  it('lets channels fan out before connections write, each once', async () => {
    const scheduler = new WriteScheduler();
    const order: string[] = [];
    scheduler.connectionDue({ flush: () => order.push('connection') });
    scheduler.channelDue({ flush: () => order.push('channel') });
    await until(() => order.length === 2, 'both had their turn');
    expect(order).toEqual(['channel', 'connection']);
  });

  it('lets the event loop run and answers go first during a long broadcast', async () => {
    const scheduler = new WriteScheduler();
    let written = 0;
    const connection = { flush: () => (written++, work(0.05)) };
    for (let i = 0; i < 1000; i++) scheduler.connectionDue(connection);
    await new Promise((resolve) => setImmediate(resolve));
    const atAnswer = await new Promise<number>((resolve) => scheduler.answerDue({ flush: () => resolve(written) }));
    expect(atAnswer).toBeLessThan(1000);
    await until(() => written === 1000, 'the broadcast is written');
  });

  it('keeps the order of writers under constant load', async () => {
    const scheduler = new WriteScheduler();
    const order: number[] = [];
    let due = 0;
    const add = (): void => {
      const number = due++;
      scheduler.connectionDue({
        flush: () => {
          order.push(number);
          // The queue is never empty.
          if (due < 60_000) for (let i = 0; i < 2; i++) add();
        },
      });
    };
    for (let i = 0; i < 200; i++) add();
    await until(() => order.length === due, 'all had their turn');
    expect(order).toEqual(Array.from({ length: due }, (_, i) => i));
  });

  it('collects patient frames after a long round, and writes them together', async () => {
    const scheduler = new WriteScheduler();
    let rounds = 0;
    await new Promise<void>((resolve) => scheduler.channelDueSoon({ flush: () => (rounds++, work(10), resolve()) }));
    const more = { flush: () => rounds++ };
    scheduler.channelDueSoon(more);
    scheduler.channelDueSoon(more);
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(rounds).toBe(1);
    await until(() => rounds === 3, 'the others go out after the rest');
  });

  it('writes patient frames even under constant broadcasts', async () => {
    const scheduler = new WriteScheduler();
    let isToldTwice = false;
    const endless = { flush: () => (work(0.1), isToldTwice || scheduler.connectionDue(endless)) };
    for (let i = 0; i < 100; i++) scheduler.connectionDue(endless);
    await new Promise<void>((resolve) => scheduler.channelDueSoon({ flush: resolve }));
    scheduler.channelDueSoon({ flush: () => (isToldTwice = true) });
    await until(() => isToldTwice, 'the second round has begun');
  });
});
