import { inMemory } from '../backing.js';
import { simulatedBeams } from '../beams/beams.js';
import { BeamsRun } from '../beams/run.js';
import type { BeamsOperation, BeamsSchedule } from '../beams/schedule.js';
import { simulatedChannels } from '../channels.js';
import { Run } from '../run.js';
import type { ChannelsSchedule } from '../schedule.js';
import type { Simulated } from '../search.js';
import { beamsFaults, faults } from './faults.js';
import { previousBuild } from './previous-build.js';
import { withReplacements } from './schedule.js';

// Nodes of the release before this one and of this one, which replace each other.

export const simulatedUpgrades: Simulated<ChannelsSchedule> = {
  ...simulatedChannels,
  scheduleOf: (seed, minutes) => {
    const schedule = simulatedChannels.scheduleOf(seed, minutes);
    return { ...schedule, operations: known(withReplacements(schedule)) };
  },
  run: async (schedule, prepare, print) => new Run(schedule, prepare, print, inMemory(await previousBuild())).outcome(),
  faults,
  rareFaults: {},
};

/**
 * The release before has no limits for those who are hostile, and does not tell its clients which updates of members they
 * missed while the store was away.
 */
function known(operations: ChannelsSchedule['operations']): ChannelsSchedule['operations'] {
  const isAway = operations.some(({ kind }) => kind === 'failover' || kind === 'outage');
  return operations.filter(({ kind }) => kind !== 'hostile' && !(isAway && kind === 'update'));
}

export const simulatedBeamsUpgrades: Simulated<BeamsSchedule> = {
  ...simulatedBeams,
  scheduleOf: (seed, minutes) => {
    const schedule = simulatedBeams.scheduleOf(seed, minutes);
    return { ...schedule, operations: withReplacements(schedule).map(uncombined) };
  },
  run: async (schedule, prepare, print) => new BeamsRun(schedule, prepare, print, await previousBuild()).outcome(),
  faults: beamsFaults,
  rareFaults: {},
};

/** The release before this one knows no combined interests. */
const uncombined = (operation: BeamsOperation): BeamsOperation =>
  operation.kind === 'publish' && operation.audience.interests
    ? { ...operation, audience: { interests: operation.audience.interests } }
    : operation;
