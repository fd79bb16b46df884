import { Run } from '../run.js';
import type { Simulated } from '../search.js';
import { simulatedChannels } from '../channels.js';
import { faults } from './faults.js';
import { type LimitedSchedule, scheduleOf } from './schedule.js';

/** Nodes of Channels whose app has limits that its clients and triggers reach. */
export const simulatedLimits: Simulated<LimitedSchedule> = {
  scheduleOf,
  run: (schedule, prepare, print) => new Run(schedule, prepare, print).outcome(),
  describe: (schedule) => `${simulatedChannels.describe(schedule)}, with the limits ${JSON.stringify(schedule.limits)}`,
  lies: simulatedChannels.lies,
  faults,
  rareFaults: {},
};
