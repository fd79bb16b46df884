import type { Simulated } from '../search.js';
import { faults } from './faults.js';
import { NotificationsRun } from './run.js';
import { type NotificationsSchedule, scheduleOf } from './schedule.js';

/** Processes that notify users on open pages, or else on their devices. */
export const simulatedNotifications: Simulated<NotificationsSchedule> = {
  scheduleOf,
  run: (schedule, prepare, print) => new NotificationsRun(schedule, prepare, print).outcome(),
  describe: ({ nodes }) => `with ${nodes} processes`,
  lies: ['hour'],
  faults,
  rareFaults: {},
};
