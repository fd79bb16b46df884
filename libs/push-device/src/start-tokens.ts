import { platformOf } from './device-id.js';
import type { RemovalListener } from './device-removals.js';
import type { LiveActivityRepository } from './live-activity.repository.js';

/** Removes the start tokens of removed devices: with a device, all its data goes. */
export const forgetStartTokens =
  (activities: LiveActivityRepository): RemovalListener =>
  async (removed) => {
    const own = removed.filter(({ id }) => platformOf(id) === 'apns');
    for (const instanceId of new Set(own.map((device) => device.instanceId))) {
      const ids = own.filter((device) => device.instanceId === instanceId).map(({ id }) => id);
      await activities.removeStartTokens(instanceId, ids);
    }
  };
