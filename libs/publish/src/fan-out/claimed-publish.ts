import type { Instance } from 'rookery/push-device';
import type { Publish } from '../publish.js';
import type { Lease } from './lease.js';

/** A publish as its present claimer holds it. */
export interface ClaimedPublish {
  /** Its owner's name fences every save. */
  readonly lease: Lease;
  readonly publish: Publish;
  readonly instance: Instance;
  /** Devices of a lane that a crash may send to twice; over all lanes of the claim `pageSize`. */
  readonly laneDevices: number;
  /** Called when a save reports that the publish is cancelled. */
  readonly onCancelled: () => void;
}
