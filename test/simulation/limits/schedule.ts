import { Random } from '../../support/random.js';
import { channels } from '../cluster-options.js';
import { type ChannelsSchedule, type Operation, scheduleOf as channelsScheduleOf } from '../schedule.js';
import type { LimitsOfApp } from './limits-of-app.js';

/** A schedule of Channels under limits. */
export interface LimitedSchedule extends ChannelsSchedule {
  readonly limits: LimitsOfApp;
}

const betweenBurstsMs = 6000;
/** Apart from those of other triggers. */
const firstBurstId = 1_000_000;

/** The schedule that a seed decides: that of Channels, with bursts of triggers. */
export function scheduleOf(seed: number, minutes: number): LimitedSchedule {
  const random = new Random(~seed);
  const schedule = channelsScheduleOf(seed, minutes);
  const limits = {
    maxConnections: Math.max(2, schedule.clients - 1 - random.below(3)),
    presenceMembers: 2 + random.below(2),
    triggersPerSecond: 4 + random.below(4),
  };
  const operations = [...withoutExcess(schedule.operations), ...bursts(random, minutes, schedule.nodes)];
  return { ...schedule, limits, operations: operations.toSorted((one, other) => one.at - other.at) };
}

/**
 * Updates of members count towards the rate of triggers, and the model counts only those. Rude clients would take some of the connections, and the model does not know how many. A store that has lost what it
 * counted accepts more for a moment: in a failover what the replica lacked, and without its memory what a node that is
 * stuck holds.
 */
function withoutExcess(operations: readonly Operation[]): readonly Operation[] {
  const forgets = operations.some((operation) => operation.kind === 'outage' && operation.forgets);
  const left = forgets
    ? ['failover', 'pause', 'stall', 'rude', 'hostile', 'update']
    : ['failover', 'rude', 'hostile', 'update'];
  return operations.filter(({ kind }) => !left.includes(kind));
}

function bursts(random: Random, minutes: number, nodes: number): readonly Operation[] {
  const operations: Operation[] = [];
  for (let at = 3000, id = firstBurstId; at < minutes * 60_000; at += random.below(2 * betweenBurstsMs)) {
    const withinMs = random.of([1, 100, 1500]);
    for (let left = 2 + random.below(24); left > 0; left--) {
      const node = random.below(nodes);
      operations.push({
        at: at + random.below(withinMs),
        kind: 'trigger',
        node,
        channel: random.of(channels),
        id: `e${(id += 1)}`,
      });
    }
  }
  return operations;
}
