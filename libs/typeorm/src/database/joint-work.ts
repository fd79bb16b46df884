import type { HostTransaction } from 'rookery/jobs';
import type { Database } from './database.js';
import type { Work } from './statement.js';

interface Joined {
  readonly work: () => Work<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  readonly committed: () => void;
}

/** A write of the other store was skipped because it was no longer due. */
class NotDue extends Error {}

/**
 * Lets another store write in one of Rookery's own transactions: passed as `within`, it captures the other store's work
 * instead of running it, so that both run as one {@link Work}.
 */
export class JointWork {
  private taken: ((joined: Joined) => void) | undefined;

  private constructor(private readonly database: Database) {}

  /**
   * @param call writes once in the other store, with the given `within`
   * @param own runs the other store's work and uses its result, or skips it if it is no longer due
   * @returns the result of `own`, once everything is committed
   */
  static async run<T>(
    database: Database,
    call: (within: HostTransaction) => Promise<unknown>,
    own: (other: () => Work<unknown>) => Work<T>,
  ): Promise<T> {
    const joint = new JointWork(database);
    const joined = new Promise<Joined>((resolve) => (joint.taken = resolve));
    const called = call(joint);
    const other = await Promise.race([joined, called.then(nothingWritten)]);
    try {
      const { result, answer } = await database.write(() => both(other.work, own));
      if (answer) other.resolve(answer.value);
      else other.reject(new NotDue());
      // The caller may still inspect the result before it announces the commit.
      await called.catch(unlessNotDue);
      if (answer) other.committed();
      return result;
    } catch (error) {
      other.reject(error);
      await called.catch(() => undefined);
      throw error;
    }
  }

  join<T>(database: Database, work: () => Work<T>, committed: () => void): Promise<T> {
    if (database !== this.database)
      throw new Error('within belongs to another database: both stores must be in the same one');
    return new Promise<T>((resolve, reject) => {
      // The result has this work's type.
      this.taken?.({ work, resolve: resolve as (result: unknown) => void, reject, committed });
    });
  }
}

function* both<T>(other: () => Work<unknown>, own: (other: () => Work<unknown>) => Work<T>) {
  let answer: { readonly value: unknown } | undefined;
  const result = yield* own(function* () {
    const value = yield* other();
    answer = { value };
    return value;
  });
  return { result, answer };
}

const nothingWritten = (): never => {
  throw new Error('Nothing was written within the transaction: are both stores in one database?');
};

function unlessNotDue(error: unknown): void {
  if (!(error instanceof NotDue)) throw error;
}
