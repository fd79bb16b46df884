/**
 * A transaction of the host's own: TypeORM's EntityManager, as `dataSource.transaction` passes it to its callback. Only
 * the storage that writes in it inspects it.
 */
export type HostTransaction = object;

/** Requests a write in a transaction that the host may or may not commit. */
export interface Within {
  readonly transaction: HostTransaction;
  /** Called once after the commit, with some delay; never called without a commit, or if the process ends first. */
  committed(): void;
}

/** The error of a store that does not support the host's transactions. */
export const noTransaction = (port: string, line: string): Error =>
  new Error(`within: ${port} keeps nothing in the database of that transaction: write ${line}`);
