/**
 * A transaction of the host's own: TypeORM's EntityManager, as `dataSource.transaction` passes it to its callback. Only
 * the storage that writes in it looks inside.
 */
export type HostTransaction = object;

/** Write in a transaction that the host may or may not commit. */
export interface Within {
  readonly transaction: HostTransaction;
  /** Called once after the commit, with some delay; never without a commit, or if the process ends before. */
  committed(): void;
}

/** The answer of a store that does not support the host's transactions. */
export const noTransaction = (port: string, line: string): Error =>
  new Error(`within: ${port} keeps nothing in the database of that transaction: write ${line}`);
