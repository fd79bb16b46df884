import type { Instance } from 'rookery/push-device';
import type { Publish } from '../publish.js';

/** A publish as its present claimer holds it. */
export interface ClaimedPublish {
  /** The name of the claim: the fence of everything that is saved. */
  readonly owner: string;
  readonly publish: Publish;
  readonly instance: Instance;
  /** Devices that a crash may send to twice, all lanes of the publish together being `pageSize`. */
  readonly laneDevices: number;
  /** Called when a save has told that the publish is cancelled. */
  readonly onCancelled: () => void;
}
