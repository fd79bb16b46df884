import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';

/** Identifies this process among those that share state, by a name that no earlier process had. */
@Injectable()
export class ThisNode {
  readonly id: string = randomUUID();
  /** The number of other live processes, as of the latest heartbeat. */
  others = 0;
  /** Counts {@link others} again, for a decision that depends on those that have just started. */
  recount: () => Promise<void> = async () => {};
  /** Resolves once the processes that stop together with this one take no more events, as this one does. */
  stoppedTaking: () => Promise<void> = async () => {};
}
