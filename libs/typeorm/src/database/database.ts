import type { DataSource } from 'typeorm';
import type { Within } from 'rookery/jobs';
import type { Dialect } from './dialect.js';
import { workWithin } from './host-work.js';
import { run, type Work } from './statement.js';
import { StorageRefusal } from './storage-refusal.js';

/**
 * The database of all of Rookery's tables: one of the host's data sources, or Rookery's own. The repositories use SQL
 * that both databases understand; `dialect` has the differences.
 *
 * - `read` returns the rows of one SELECT.
 * - `write` runs a transaction and returns its result when it is durable. It may run the work again from the start if
 *   another transaction interfered, so the work must change only the database. An error from the work rolls back all of
 *   it.
 * - Both throw Unavailable if the database refuses for its own reasons, such as a full disk.
 */
export abstract class Database {
  abstract readonly dialect: Dialect;
  private readonly users = new Set<symbol>();
  readonly refusal = new StorageRefusal();
  /** Whether the process is still starting: it has nothing to answer yet, so it can wait for a database that hangs. */
  isStarting = false;
  private isClosing = false;

  constructor(readonly dataSource: DataSource) {}

  abstract read<Row>(text: string, parameters?: readonly unknown[]): Promise<readonly Row[]>;
  abstract write<T>(work: () => Work<T>): Promise<T>;

  /** Throws if writes succeed but would be lost: the open file is no longer the one at its path. */
  async assertInPlace(): Promise<void> {}

  /** Runs one writing statement and returns the rows of its RETURNING. */
  execute<Row>(text: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.write(() => run<Row>(text, parameters));
  }

  /**
   * Runs a work in a transaction of the host's, on any data source of this database. The work runs once: if it fails,
   * the host must retry.
   */
  writeWithin<T>(within: Within, work: () => Work<T>): Promise<T> {
    return workWithin(this, within, work);
  }

  /** The statement in the driver's syntax. */
  spelled(text: string): string {
    return text;
  }

  /** Notifies other processes that there is work, if the database can. */
  notify(_name: string): void {}

  /** The payload of this process's notices, by which it skips its own. */
  get noticeSender(): string {
    return '';
  }

  /**
   * Calls `heard` once it would notice, and then when other processes call `notify`, seldom late or never. Returns a
   * function that stops this; nothing if the database cannot notify.
   */
  listen(_name: string, _heard: () => void): (() => Promise<void>) | undefined {
    return undefined;
  }

  /**
   * Delays {@link close} until the returned function is called, for work that continues until the end of a shutdown.
   */
  keepOpen(): () => Promise<void> {
    const user = Symbol();
    this.users.add(user);
    return async () => {
      if (this.users.delete(user)) await this.closeUnused();
    };
  }

  /** Closes the connections: at once, or when the last user is done, whatever the modules' shutdown order. */
  async close(): Promise<void> {
    this.isClosing = true;
    await this.closeUnused();
  }

  private async closeUnused(): Promise<void> {
    if (!this.isClosing || this.users.size > 0) return;
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
    await this.closed();
  }

  /** Called when the connections are closed. */
  protected async closed(): Promise<void> {}

  /** Inside a {@link Work}: holds an exclusive lock on this name until the transaction ends. */
  *hold(name: string): Work<void> {
    if (this.dialect.holdName) yield* run(this.dialect.holdName, [name]);
  }

  /** The same for several names, in their order. */
  *holdAll(names: readonly string[]): Work<void> {
    const { holdNames, list } = this.dialect;
    if (holdNames) yield* run(holdNames, [list(names)]);
  }
}
