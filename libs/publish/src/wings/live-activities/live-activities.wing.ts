import { LiveActivityRepository } from 'rookery/push-device';
import type { Wing } from '../wing.js';
import { LiveActivitiesStep } from './live-activities.step.js';
import { LiveActivityChannels } from './live-activity-channels.js';
import { LiveActivityChannelsController } from './live-activity-channels.controller.js';

/**
 * Publishes start and update Live Activities (docs/live-activities.md). The start tokens of devices are in push-device,
 * the messages to Apple in delivery/apns.
 */
export const liveActivities = {
  requires: [LiveActivityRepository],
  services: [LiveActivityChannels],
  controllers: [LiveActivityChannelsController],
  step: LiveActivitiesStep,
} satisfies Wing;
