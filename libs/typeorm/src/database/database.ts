import type { DataSource } from 'typeorm';
import type { Dialect } from './dialect.js';
import { run, type Work } from './statement.js';

/**
 * Where all of Rookery's tables are: one of the host's data sources, or one of its own. The repositories speak SQL to
 * it that both databases understand; what differs stands in `dialect`.
 *
 * - `read` answers the rows of one SELECT.
 * - `write` runs a transaction and answers its result when it is durable. It may run the work again from the start
 *   when another transaction came between, so the work must not change anything but the database. What the work throws
 *   undoes all of it.
 */
export abstract class Database {
  abstract readonly dialect: Dialect;

  constructor(readonly dataSource: DataSource) {}

  abstract read<Row>(text: string, parameters?: readonly unknown[]): Promise<readonly Row[]>;
  abstract write<T>(work: () => Work<T>): Promise<T>;

  /** One statement that writes, answering the rows of its RETURNING. */
  execute<Row>(text: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
    return this.write(() => run<Row>(text, parameters));
  }

  /** Inside a {@link Work}: nobody else gets past this name until the transaction ends. */
  *hold(name: string): Work<void> {
    if (this.dialect.holdName) yield* run(this.dialect.holdName, [name]);
  }
}
