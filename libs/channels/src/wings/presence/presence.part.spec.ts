import { expect, it, vi } from 'vitest';
import type { Connection, Subscription } from '../../connections/connection.js';
import type { Hub } from '../../hub/hub.js';
import { ProtocolError } from '../../protocol/protocol-error.js';
import type { Step } from '../../all-of.js';
import type { PresenceMembership } from './presence-membership.js';
import { PresencePart } from './presence.part.js';

const connection = { app: { id: '1' }, socketId: '1.1' } as unknown as Connection;
const subscription = { channel: { name: 'presence-room' }, member: { userId: 'ann' } } as unknown as Subscription;

/** @returns how often the membership ends when the steps of a join that fails are undone */
async function exitsAfter(error: Error): Promise<number> {
  const leave = vi.fn();
  const membership = { join: () => Promise.reject(error), leave };
  const part = new PresencePart(membership as unknown as PresenceMembership, {} as Hub);
  const undo: Step[] = [];
  await expect(part.enter({ connection, subscription, undo })).rejects.toBe(error);
  for (const step of undo) await step();
  return leave.mock.calls.length;
}

it('ends a membership that may have begun although its answer was lost', async () => {
  expect(await exitsAfter(new Error('away'))).toBe(1);
});

// Its answer would be the one of an earlier departure, which would be announced again.
it('ends none that was refused because the channel is full', async () => {
  expect(await exitsAfter(ProtocolError.channelFull('presence-room', 1))).toBe(0);
});
