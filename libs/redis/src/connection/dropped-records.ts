import type { Logger } from '@nestjs/common';
import { QuietCount } from '#common';
import { counted } from '#http';
import { UnreadableAnswer } from './answers.js';

/**
 * Drops what this release cannot read of Redis, so that one record does not hold up the others. Logs it: at once, then
 * at most one line per ten seconds.
 */
export class DroppedRecords {
  private readonly dropped = new QuietCount();

  constructor(private readonly logger: Logger) {}

  /** @param kind such as `job` */
  drop(kind: string): void {
    const count = this.dropped.add();
    if (count === 0) return;
    const records = counted(count, 'record');
    this.logger.warn(`Dropped ${records} in Redis that this release cannot read, the latest one a ${kind}`);
  }

  /** What `read` makes of those that can be read. */
  readable<Read>(kind: string, records: readonly unknown[], read: (record: unknown) => Read): Read[] {
    return records.flatMap((record) => {
      try {
        return [read(record)];
      } catch (error) {
        if (!(error instanceof UnreadableAnswer)) throw error;
        this.drop(kind);
        return [];
      }
    });
  }
}
