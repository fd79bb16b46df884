import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import { run } from '../database/statement.js';

/** How long an answer is reused by further checks. */
const freshMs = 1000;

/** Room for what a registration writes, and random, so that nothing makes it smaller. */
const paddingBytes = 24 * 1024;

/**
 * Whether the database takes writes. A full disk, a read-only replica and a lost connection do not show in reads, or not
 * at once, so it writes: 32 KB in place of those of the last time.
 */
@Injectable()
export class StorageHealth {
  /** How long the latest write took that was kept, in seconds. */
  writeSeconds = Number.NaN;
  private latest?: { readonly write: Promise<void>; endedAt: number };

  constructor(private readonly database: Database) {}

  /**
   * Resolves when a write was kept, of now or of a second ago.
   * @param withinMs - how long it may take
   * @throws Error with what the database says, or that it took too long
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
      late.catch(() => undefined); // Its caller no longer waits.
    }
  }

  /** One at a time: where a write hangs, more of them would only pile up. */
  private write(): Promise<void> {
    if (this.latest && this.latest.endedAt + freshMs > performance.now()) return this.latest.write;
    const latest = { write: this.writeAnew(), endedAt: Infinity };
    this.latest = latest;
    const ended = (): void => void (latest.endedAt = performance.now());
    latest.write.then(ended, ended);
    return latest.write;
  }

  /** The new row comes before the old one goes, so that it needs room. */
  private async writeAnew(): Promise<void> {
    const began = performance.now();
    const id = randomUUID();
    const padding = randomBytes(paddingBytes).toString('base64');
    await this.database.write(function* () {
      yield* run('INSERT INTO rookery_storage_checks (id, padding) VALUES (?, ?)', [id, padding]);
      yield* run('DELETE FROM rookery_storage_checks WHERE id <> ?', [id]);
    });
    await this.database.assertInPlace();
    this.writeSeconds = (performance.now() - began) / 1000;
  }
}
