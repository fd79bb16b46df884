import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { usedBytes } from '../../../../test/support/memory.js';
import { LateSends } from './late-sends.js';
import type { Sending } from './sending.js';

const sendingTo = (id: string): Sending => ({ late: [{ id }], done: Promise.resolve() }) as unknown as Sending;

it('late sends are returned once they are answered, and then forgotten', async () => {
  const late = new LateSends(10);
  const kept = Array.from({ length: 1000 }, (_, n) => {
    const sending = sendingTo(`device ${n}`);
    late.keep(sending);
    return new WeakRef(sending);
  });
  await turn();
  expect(late.answered()).toHaveLength(1000);
  expect(late.answered()).toEqual([]);
  await turn();
  usedBytes();
  // The engine's own stack may hold the one handled last, as in Node 24.
  expect(kept.filter((sending) => sending.deref() !== undefined).length).toBeLessThanOrEqual(1);
});

it('as many more may be late as are not', () => {
  const late = new LateSends(3);
  expect(late.room()).toBe(3);
  for (const id of ['a', 'b']) expect(late.keep(sendingTo(id))).toEqual([{ id }]);
  expect(late.room()).toBe(1);
  expect(late.keep({ late: [] } as unknown as Sending)).toEqual([]);
  expect(late.room()).toBe(1);
});
