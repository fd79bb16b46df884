import { replaceable } from '#common';
import type { Wing } from '../wing.js';
import { LiveActivitiesStep } from './live-activities.step.js';
import { LiveActivityRepository } from './live-activity.repository.js';
import { LiveActivityChannels } from './live-activity-channels.js';
import { LiveActivityChannelsController } from './live-activity-channels.controller.js';
import { MemoryLiveActivityRepository } from './memory-live-activity.repository.js';
import { StartTokens } from './start-tokens.js';

/** Publishes start and update Live Activities (docs/live-activities.md). The messages to Apple are in delivery/apns. */
export const liveActivities = {
  ports: {
    /** The channels of interests at Apple, and the start tokens of devices. @default in memory */
    liveActivityRepository: replaceable(LiveActivityRepository, MemoryLiveActivityRepository),
  },
  providers: [StartTokens],
  services: [LiveActivityChannels],
  controllers: [LiveActivityChannelsController],
  step: LiveActivitiesStep,
} satisfies Wing;
