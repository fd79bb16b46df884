import type { Instance } from 'rookery/push-device';
import type { Publish } from '../publish.js';
import type { ClaimedJob, JobLease } from 'rookery/jobs';

/** A publish as its present claimer holds it. */
export interface ClaimedPublish {
  /** Its claim fences every save. */
  readonly job: ClaimedJob;
  readonly lease: JobLease;
  readonly publish: Publish;
  readonly instance: Instance;
  /** Devices of a lane that a crash may send to twice; over all lanes of the claim `pageSize`. */
  readonly laneDevices: number;
  /** Called when a save reports that the publish is cancelled. */
  readonly onCancelled: () => void;
}
