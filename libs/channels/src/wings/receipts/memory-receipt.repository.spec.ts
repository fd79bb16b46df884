import { expect, it, vi } from 'vitest';
import { MemoryReceiptRepository } from './memory-receipt.repository.js';

const of = (receipt: number, userId: string, keepMs = 1000) => ({
  appId: 'app',
  receipt: String(receipt).padStart(43, '0'),
  userId,
  isShown: false,
  at: 1,
  keepMs,
});

const usersOf = (receipts: MemoryReceiptRepository, event: number): number => {
  const { appId, receipt } = of(event, '');
  return receipts.find(appId, receipt, 1000).length;
};

it('forgets the oldest events when it is full', () => {
  const receipts = new MemoryReceiptRepository(10_000);
  for (let event = 1; event <= 100; event++)
    for (const user of ['alice', 'bob', 'carol']) receipts.add([of(event, user)], 1000);
  const kept = Array.from({ length: 100 }, (_, i) => usersOf(receipts, i + 1));
  expect(kept.findIndex((users) => users > 0)).toBeGreaterThan(80);
  expect(kept.slice(-5)).toEqual([3, 3, 3, 3, 3]);
});

it('forgets those of the app that has most, never those of the others', () => {
  const receipts = new MemoryReceiptRepository(10_000);
  receipts.add([{ ...of(1, 'alice'), appId: 'other' }], 1000);
  for (let event = 1; event <= 1000; event++) receipts.add([of(event, 'alice')], 1000);
  expect(receipts.find('other', of(1, '').receipt, 1000)).toHaveLength(1);
  expect([usersOf(receipts, 1), usersOf(receipts, 1000)]).toEqual([0, 1]);
});

it('makes room by those that are over, before any other is forgotten', () => {
  vi.useFakeTimers();
  try {
    const receipts = new MemoryReceiptRepository(10_000);
    for (let event = 1; event <= 8; event++) receipts.add([of(event, 'alice', 10)], 1000);
    vi.advanceTimersByTime(20);
    for (let event = 9; event <= 16; event++) receipts.add([of(event, 'alice', 10_000)], 1000);
    expect(Array.from({ length: 16 }, (_, i) => usersOf(receipts, i + 1)).join('')).toBe('0000000011111111');
  } finally {
    vi.useRealTimers();
  }
});
