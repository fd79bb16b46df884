import type { Logger } from '@nestjs/common';
import { counted } from '#http';
import { UnreadableAnswer } from './answers.js';

const quietMs = 10_000;

/**
 * Drops what this release cannot read of Redis, so that one record does not hold up the others. Logs it: at once, then
 * at most one line per ten seconds.
 */
export class DroppedRecords {
  private dropped = 0;
  private toldAt = -Infinity;

  constructor(private readonly logger: Logger) {}

  /** @param kind such as `job` */
  drop(kind: string): void {
    this.dropped += 1;
    const now = performance.now();
    if (now - this.toldAt < quietMs) return;
    const records = counted(this.dropped, 'record');
    this.logger.warn(`Dropped ${records} in Redis that this release cannot read, the latest one a ${kind}`);
    this.dropped = 0;
    this.toldAt = now;
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
