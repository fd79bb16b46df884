import type { OwnPush } from '../push-type.js';
import { activityFault } from './activity-fault.js';
import { withTimestamp } from './with-timestamp.js';

/** A push of a Live Activity. An activity has ended after eight hours. */
export const activityPush: OwnPush = {
  suffix: '.push-type.liveactivity',
  defaultSeconds: 8 * 3600,
  fault: activityFault,
  complete: withTimestamp,
};
