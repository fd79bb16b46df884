import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqliteConnection } from './sqlite.connection.js';
import type { SqliteWaiting } from './sqlite-waiting.js';
import type { Statement, Work } from './statement.js';
import type { Wal } from './wal.js';

/** How long a group of writes may block this process. */
const maxGroupMs = 10;

/** Stays compiled. */
const commit: Statement = { text: 'COMMIT', parameters: [] };

/** A waiting write, and how to settle it. */
interface PendingWrite {
  readonly work: () => Work<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Writes that were committed together. */
interface Group {
  readonly works: readonly PendingWrite[];
  /** Settle their promises. */
  readonly settle: readonly (() => void)[];
}

/**
 * Commits all writes of one turn of the event loop together, so that they wait for the disk only once. Each still fails
 * alone: an error rolls back only the write that threw it. Savepoints, which cost as much as a small write, are set only
 * once a group has failed, when its works run again.
 */
export class SqliteWriter {
  private readonly waiting: PendingWrite[] = [];
  private isWriting = false;
  /** Whether the next group repeats one that failed. */
  private isRepeated = false;

  /** @param wal given where commits are durable only once it is synced; otherwise SQLite waits for the disk */
  constructor(
    private readonly connection: SqliteConnection,
    private readonly waits: SqliteWaiting,
    private readonly wal?: Wal,
  ) {}

  write<T>(work: () => Work<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      // The result has this work's type.
      this.waiting.push({ work, resolve: resolve as (result: unknown) => void, reject });
      if (!this.isWriting) void this.writeAll();
    });
  }

  private async writeAll(): Promise<void> {
    this.isWriting = true;
    while (this.waiting.length > 0) {
      await nextTurn();
      try {
        await this.begin();
        const group = this.writeGroup();
        if (group) await this.settle(group);
      } catch (error) {
        for (const { reject } of this.waiting.splice(0)) reject(error);
      }
    }
    this.isWriting = false;
  }

  /** Waits while another transaction is open, on this connection or in another process. */
  private async begin(): Promise<void> {
    this.waits.assertReacts();
    // Of a sync that was given up: another one would wait as well, and hold one of Node's few threads.
    if (this.wal?.isSyncing) await this.waits.written(this.wal.synced);
    await this.waits.whenFree(() => this.hasBegun() || undefined);
  }

  private hasBegun(): boolean {
    if (this.connection.inTransaction) return false;
    try {
      // With a rollback journal, others could read until the commit, which would then have to wait for them.
      this.connection.exec(this.wal ? 'PRAGMA synchronous = NORMAL; BEGIN EXCLUSIVE' : 'BEGIN EXCLUSIVE');
      return true;
    } catch (error) {
      this.leaveWaitingToSqlite();
      throw error;
    }
  }

  /** Returns nothing if the group has failed. */
  private writeGroup(): Group | undefined {
    const group: PendingWrite[] = [];
    const isIsolated = this.isRepeated;
    this.isRepeated = false;
    try {
      const settle = this.runGroup(group, isIsolated);
      this.connection.rowsOf(commit);
      return { works: group, settle };
    } catch (error) {
      if (this.connection.inTransaction) this.connection.exec('ROLLBACK');
      this.isRepeated = !isIsolated && group.length > 1;
      if (this.isRepeated) this.waiting.unshift(...group);
      else for (const { reject } of group) reject(error);
      return undefined;
    } finally {
      this.leaveWaitingToSqlite();
    }
  }

  private async settle({ works, settle }: Group): Promise<void> {
    try {
      if (this.wal) await this.waits.written(this.wal.sync());
      for (const call of settle) call();
    } catch (error) {
      for (const { reject } of works) reject(error);
    }
  }

  /** For whatever else writes on this connection. */
  private leaveWaitingToSqlite(): void {
    if (this.wal && !this.connection.inTransaction) this.connection.exec('PRAGMA synchronous = FULL');
  }

  private runGroup(group: PendingWrite[], isIsolated: boolean): readonly (() => void)[] {
    const settle: (() => void)[] = [];
    const end = performance.now() + maxGroupMs;
    while (this.waiting.length > 0 && (group.length === 0 || performance.now() < end)) {
      const next = this.waiting.shift()!;
      group.push(next);
      settle.push(isIsolated ? this.isolated(next) : this.result(next));
    }
    return settle;
  }

  /** Runs one work. Returns a function that settles its promise once the group is committed. */
  private result({ work, resolve }: PendingWrite): () => void {
    const result = this.connection.drive(work());
    return () => resolve(result);
  }

  /** Likewise; a failing work fails alone. */
  private isolated(waiting: PendingWrite): () => void {
    this.connection.exec('SAVEPOINT rookery');
    try {
      const settle = this.result(waiting);
      this.connection.exec('RELEASE rookery');
      return settle;
    } catch (error) {
      // A full disk ends the whole transaction: no savepoint is left.
      if (!this.connection.inTransaction) throw error;
      this.connection.exec('ROLLBACK TO rookery; RELEASE rookery');
      return () => waiting.reject(error);
    }
  }
}
