import type { Instance } from 'rookery/push-device';
import type { Publish } from '../publish.js';
import type { Lease } from './lease.js';

/** A publish as its present claimer holds it. */
export interface ClaimedPublish {
  /** Its owner's name is the fence of everything that is saved. */
  readonly lease: Lease;
  readonly publish: Publish;
  readonly instance: Instance;
  /** Devices that a crash may send to twice, all lanes of the claim together being `pageSize`. */
  readonly laneDevices: number;
  /** Called when a save has told that the publish is cancelled. */
  readonly onCancelled: () => void;
}
