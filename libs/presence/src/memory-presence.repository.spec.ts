import { expect, it } from 'vitest';
import { usedBytes } from '../../../test/support/memory.js';
import { MemoryPresenceRepository } from './memory-presence.repository.js';

const roomOf = (n: number) => ({ scope: 'app', name: `presence-${n}`.padEnd(200, 'x') });
const holder = (n: number) => ({ nodeId: 'node', connectionId: String(n) });

/** Alice enters rooms and leaves them, one after the other. Answers the versions at which she left. */
const pass = (ledger: MemoryPresenceRepository, count: number): readonly number[] =>
  Array.from({ length: count }, (_, n) => {
    ledger.join(roomOf(n), holder(n), { userId: 'alice', userInfoJson: JSON.stringify(`${n}`.padEnd(500)) }, 10);
    return ledger.leave(roomOf(n), holder(n))!.version;
  });

it('keeps little of rooms that a user has left, however many they are', () => {
  const ledger = new MemoryPresenceRepository();
  const before = usedBytes();
  pass(ledger, 80_000);
  expect((usedBytes() - before) / 1024 / 1024).toBeLessThan(48);
  expect(ledger.roster(roomOf(0)).members).toEqual([]);
});

it('still holds an absence that it forgot among many, until the user returns', () => {
  const ledger = new MemoryPresenceRepository();
  const [first = 0, second = 0] = pass(ledger, 30_000);
  const isHeld = (n: number, version: number) => ledger.holdsAbsence(roomOf(n), 'alice', version, 'node');
  expect([isHeld(0, first), isHeld(1, second)]).toEqual([true, true]);
  expect(ledger.confirmAbsent(roomOf(0), 'alice', first)).toBe(true);
  ledger.join(roomOf(1), holder(-1), { userId: 'alice' }, 10);
  expect(isHeld(1, second)).toBe(false);
  expect(ledger.confirmAbsent(roomOf(1), 'alice', second)).toBe(false);
});
