import type { DataSource } from 'typeorm';
import type { Within } from 'rookery/jobs';
import type { Dialect } from './dialect.js';
import { workWithin } from './host-work.js';
import { run, type Work } from './statement.js';
import { StorageRefusal } from './storage-refusal.js';

/**
 * Where all of Rookery's tables are: one of the host's data sources, or one of its own. The repositories speak SQL to
 * it that both databases understand; what differs stands in `dialect`.
 *
 * - `read` answers the rows of one SELECT.
 * - `write` runs a transaction and answers its result when it is durable. It may run the work again from the start
 *   when another transaction came between, so the work must not change anything but the database. What the work throws
 *   undoes all of it.
 * - Both throw Unavailable while the database refuses for reasons of its own, such as a full disk.
 */
export abstract class Database {
  abstract readonly dialect: Dialect;
  private readonly users = new Set<symbol>();
  protected readonly refusal = new StorageRefusal();
  private isClosing = false;

  constructor(readonly dataSource: DataSource) {}

  abstract read<Row>(text: string, parameters?: readonly unknown[]): Promise<readonly Row[]>;
  abstract write<T>(work: () => Work<T>): Promise<T>;

  /** Throws when writes are taken, but would not be found again: their file is not the one that has its name. */
  async assertInPlace(): Promise<void> {}

  /** One statement that writes, answering the rows of its RETURNING. */
  execute<Row>(text: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.write(() => run<Row>(text, parameters));
  }

  /**
   * Runs a work in a transaction of the host's, on whichever data source of this database it is. It is run once: what
   * fails is the host's to try again.
   */
  writeWithin<T>(within: Within, work: () => Work<T>): Promise<T> {
    return workWithin(this, within, work);
  }

  /** A statement as the driver takes it. */
  spelled(text: string): string {
    return text;
  }

  /** Tells other processes that there is something new, where the database can do that. */
  tell(_name: string): void {}

  /** Has `heard` called when others tell, sooner or later or never. Answers how to end that. */
  listen(_name: string, _heard: () => void): () => Promise<void> {
    return async () => undefined;
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

  /** Closes the connections, at once or when the last user is done, regardless of the modules' shutdown order. */
  async close(): Promise<void> {
    this.isClosing = true;
    await this.closeUnused();
  }

  private async closeUnused(): Promise<void> {
    if (this.isClosing && this.users.size === 0 && this.dataSource.isInitialized) await this.dataSource.destroy();
  }

  /** Inside a {@link Work}: holds an exclusive lock on this name until the transaction ends. */
  *hold(name: string): Work<void> {
    if (this.dialect.holdName) yield* run(this.dialect.holdName, [name]);
  }
}
