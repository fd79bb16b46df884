import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { run } from '../database/statement.js';

/** How long further checks reuse a result. */
const freshMs = 1000;

/** As large as the writes of a registration, and random, so that it cannot be compressed. */
const paddingBytes = 24 * 1024;

/**
 * Checks whether the database accepts writes. Reads reveal a full disk, a read-only replica or a lost connection late
 * or never, so it writes: 32 KB that replace those of the previous check. After a write that found no room on the disk,
 * such a check proves nothing, since it fits into what earlier ones have freed; so the next one also takes room that no
 * table has.
 */
@Injectable()
export class StorageHealth {
  /** The duration of the latest successful write, in seconds. */
  writeSeconds = Number.NaN;
  private seenRefusals = 0;
  private latest?: { readonly write: Promise<void>; endedAt: number };

  constructor(private readonly database: Database) {}

  /**
   * Resolves after a successful write, made now or within the last second.
   * @param withinMs - the time limit
   * @throws Error with the database's message, or if the time limit passed
   */
  async check(withinMs = 2000): Promise<void> {
    const over = new AbortController();
    const late = sleep(withinMs, undefined, { signal: over.signal, ref: false }).then(() => {
      throw new Error(`no write was kept within ${withinMs} ms`);
    });
    try {
      await Promise.race([this.write(), late]);
    } finally {
      over.abort();
      late.catch(() => undefined); // The caller no longer waits for it.
    }
  }

  /** One at a time: if a write hangs, more would only pile up. */
  private write(): Promise<void> {
    if (this.latest && this.latest.endedAt + freshMs > performance.now()) return this.latest.write;
    const latest = { write: this.writeAnew(), endedAt: Infinity };
    this.latest = latest;
    const ended = (): void => void (latest.endedAt = performance.now());
    latest.write.then(ended, ended);
    return latest.write;
  }

  /** Inserts the new row before it deletes the old one, so that the check needs free space. */
  private async writeAnew(): Promise<void> {
    const began = performance.now();
    const id = randomUUID();
    const refusals = this.database.refusal.ofSpace;
    const isFull = refusals !== this.seenRefusals;
    const { takeRoom } = this.database.dialect;
    const padding = randomBytes(paddingBytes).toString('base64');
    await this.database.write(function* () {
      if (isFull) yield* run(takeRoom);
      yield* run('INSERT INTO rookery_storage_checks (id, padding) VALUES (?, ?)', [id, padding]);
      yield* run('DELETE FROM rookery_storage_checks WHERE id <> ?', [id]);
    });
    await this.database.assertInPlace();
    this.seenRefusals = refusals;
    this.writeSeconds = (performance.now() - began) / 1000;
  }
}
