import type { Instance } from 'rookery/push-device';
import type { Publish } from '../publish.js';
import type { ClaimedJob, JobLease } from 'rookery/internal/jobs';

/** A publish as its current claimer holds it. */
export interface ClaimedPublish {
  /** Its claim fences every save. */
  readonly job: ClaimedJob;
  readonly lease: JobLease;
  readonly publish: Publish;
  readonly instance: Instance;
  /** How many devices of a partition a crash may send to twice; `pageSize` over all partitions of the claim. */
  readonly partitionDevices: number;
  /** Called when a save reports that the publish is cancelled. */
  readonly onCancelled: () => void;
  /** Whether the process stops and its pages have had their time: nothing more is sent. */
  readonly isCutShort: () => boolean;
  /** Called, repeatedly, while a partition only waits for its gateway. */
  readonly onWaiting: () => void;
}

/** Another worker has taken over the job: this one must not send or save anything more for it. */
export class LeaseLost extends Error {}
