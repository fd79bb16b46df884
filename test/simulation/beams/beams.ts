import type { Simulated } from '../search.js';
import { faults, rareFaults } from './faults.js';
import { BeamsRun } from './run.js';
import { type BeamsSchedule, scheduleOf } from './schedule.js';

/** Nodes that deliver publishes, with the gateways and the database that they share. */
export const simulatedBeams: Simulated<BeamsSchedule> = {
  scheduleOf,
  run: (schedule, prepare, print) => new BeamsRun(schedule, prepare, print).outcome(),
  describe: ({ nodes }) => `with ${nodes} nodes`,
  lies: ['hour', 'lag-publishes'],
  faults,
  rareFaults,
};
