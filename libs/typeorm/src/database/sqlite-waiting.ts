import { setTimeout as sleep } from 'node:timers/promises';
import { isBusy } from './busy.js';
import { HangWatch, type NoAnswer, type Reaction } from './hang-watch.js';
import type { SqliteConnection } from './sqlite.connection.js';
import type { Wal } from './wal.js';

/** How long the database may show no progress while it is probed. */
const probeMs = 1000;

/**
 * Waits for other processes that hold the file, and for the disk, without blocking this process, and no longer than
 * {@link HangWatch} lets it: the database hangs if another process holds it and commits nothing, or a sync does not end.
 */
export class SqliteWaiting {
  private readonly watch: HangWatch;

  constructor(
    private readonly connection: SqliteConnection,
    private readonly wal?: Pick<Wal, 'isSyncing'>,
    isPatient?: () => boolean,
  ) {
    this.watch = new HangWatch(() => this.reaction(), isPatient);
  }

  /**
   * Repeats an attempt while it returns nothing, or the file is busy.
   * @throws NoAnswer if the database hangs
   */
  async whenFree<T>(attempt: () => T | undefined): Promise<T> {
    // SQLite waits for other processes itself, and blocks this one, but not again once that was in vain.
    const first = this.watch.isHanging ? this.atOnce(attempt) : unlessBusy(attempt);
    if (first !== undefined) return first;
    let reason: NoAnswer | undefined;
    const waiting = this.watch.begin((why) => (reason = why));
    try {
      for (;;) {
        await sleep(Math.random() * 10);
        if (reason) throw reason;
        const result = this.atOnce(attempt);
        if (result !== undefined) return result;
      }
    } finally {
      this.watch.end(waiting);
    }
  }

  /** @throws NoAnswer while the database hangs */
  assertReacts(): void {
    this.watch.assertReacts();
  }

  /** Waits for the disk. @throws NoAnswer if it hangs */
  written(syncing: Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.watch.begin(reject);
      syncing.then(resolve, reject).finally(() => this.watch.end(waiting));
    });
  }

  stop(): void {
    this.watch.stop();
  }

  private atOnce<T>(attempt: () => T | undefined): T | undefined {
    return this.connection.withoutWaiting(() => unlessBusy(attempt));
  }

  /** A database that was closed meanwhile, or is damaged, refuses: what waits then fails with the reason itself. */
  private async reaction(): Promise<Reaction> {
    try {
      const before = this.commits();
      for (const end = performance.now() + probeMs; performance.now() < end; await sleep(50, undefined, { ref: false }))
        if (this.isFree() || this.commits() !== before) return 'answers';
      return 'is silent';
    } catch {
      return 'refuses';
    }
  }

  /** Also while a host has its own transaction open on this connection: others do not hold it then. */
  private isFree(): boolean {
    if (this.wal?.isSyncing) return false;
    const { connection } = this;
    if (connection.inTransaction) return true;
    const begun = this.atOnce(() => {
      connection.exec('BEGIN EXCLUSIVE; ROLLBACK');
      return true;
    });
    return begun ?? false;
  }

  /** A number that changes with each commit of another process; undefined while none can be read. */
  private commits(): unknown {
    const version = { text: 'SELECT data_version FROM pragma_data_version', parameters: [] };
    return JSON.stringify(this.atOnce(() => this.connection.rowsOf(version)));
  }
}

function unlessBusy<T>(attempt: () => T | undefined): T | undefined {
  try {
    return attempt();
  } catch (error) {
    if (!isBusy(error)) throw error;
    return undefined;
  }
}
