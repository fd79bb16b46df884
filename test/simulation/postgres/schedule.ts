import { type ChannelsSchedule, scheduleOf as scheduleInMemory } from '../schedule.js';

/** A process that waits longer takes PostgreSQL to hang. */
const maxStallMs = 900;

/**
 * The schedule that a seed decides. While PostgreSQL hangs, client events reach the clients of their own node only, as
 * docs/reliability.md says: the model does not know when a single node is stuck for so long.
 */
export function scheduleOf(seed: number, minutes: number): ChannelsSchedule {
  const schedule = scheduleInMemory(seed, minutes);
  if (!schedule.operations.some(({ kind }) => kind === 'say')) return schedule;
  const operations = schedule.operations.map((each) =>
    each.kind === 'stall' ? { ...each, ms: Math.min(each.ms, maxStallMs) } : each,
  );
  return { ...schedule, operations };
}
