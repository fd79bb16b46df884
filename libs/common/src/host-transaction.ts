/**
 * A transaction of the host's own: TypeORM's EntityManager, as `dataSource.transaction` hands it to its callback. Nobody
 * but the storage that is asked to write in it looks inside.
 */
export type HostTransaction = object;

/** Where something is to be written: in a transaction that the host will commit or not. */
export interface Within {
  readonly transaction: HostTransaction;
  /** Called once when it is committed, sooner or later; never when it is not, or the process ends before. */
  committed(): void;
}

/** What a store answers that has no transactions of a host's. */
export const noTransaction = (port: string, line: string): Error =>
  new Error(`within: ${port} keeps nothing in the database of that transaction: write ${line}`);
