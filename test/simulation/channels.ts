import { faults, rareFaults } from './faults.js';
import { Run } from './run.js';
import { type ChannelsSchedule, scheduleOf } from './schedule.js';
import type { Simulated } from './search.js';

/** Nodes of Channels with their clients. */
export const simulatedChannels: Simulated<ChannelsSchedule> = {
  scheduleOf,
  run: (schedule, prepare, print) => new Run(schedule, prepare, print).outcome(),
  describe: ({ nodes, clients, isLoose }) =>
    `with ${nodes} nodes and ${clients} clients, on a store whose answers ` +
    (isLoose ? 'overtake each other' : 'keep their order'),
  lies: ['hour', 'lag-counts', 'lag-members', 'lag-history', 'lag-sessions', 'late', 'torn'],
  faults,
  rareFaults,
};
