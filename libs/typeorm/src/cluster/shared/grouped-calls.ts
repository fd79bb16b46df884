import { setImmediate as nextTurn } from 'node:timers/promises';
import { Unavailable } from '#common';
import type { SharedDatabase } from './shared-database.js';

/** How many calls are one statement at most: it holds their lanes until its commit. */
const maxTogether = 100;

/** The lane, and the other parameters of a function. */
type Call = readonly [lane: number, ...others: readonly unknown[]];

interface MayBeGone {
  /** Whether others took this process for dead: it has to announce its entries first. */
  readonly is_gone?: boolean;
}

interface PendingCall<Row> {
  readonly call: Call;
  readonly resolve: (row: Row) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Calls of a function on lanes. One that comes while a statement runs waits for it, and all that have waited are the
 * next statement: one trip, one commit. They lock their lanes in ascending order, as all processes do.
 */
export class GroupedCalls<Row extends object> {
  private readonly waiting: PendingCall<Row>[] = [];
  private isRunning = false;
  private readonly types: readonly string[];
  private readonly statement: string;

  /** @param signature of the function: `rookery_leave(int, text)`. If it answers a single value, this is `answer`. */
  constructor(
    private readonly shared: SharedDatabase,
    signature: string,
  ) {
    const [, name, types] = /^(\w+)\((.+)\)$/.exec(signature)!;
    this.types = types!.split(', ');
    const names = this.types.map((_, n) => `p${n}`);
    this.statement = `SELECT answer.* FROM unnest(${this.types.map((type) => `?::${type}[]`).join(', ')})
      WITH ORDINALITY AS c(${names.join(', ')}, n)
      CROSS JOIN LATERAL ${name}(${names.map((each) => `c.${each}`).join(', ')}) AS answer ORDER BY c.n`;
  }

  /** Repeats the call while the database is away. @throws Unavailable as {@link SharedDatabase.insistOnAll} */
  insist(call: Call): Promise<Row> {
    return this.shared.insistOnAll(() => this.run(call));
  }

  private run(call: Call): Promise<Row> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ call, resolve, reject });
      if (!this.isRunning) void this.runAll();
    });
  }

  private async runAll(): Promise<void> {
    this.isRunning = true;
    while (this.waiting.length > 0) {
      // What comes in the same turn goes along.
      await nextTurn();
      await this.runGroup(this.waiting.splice(0, maxTogether));
    }
    this.isRunning = false;
  }

  private async runGroup(calls: readonly PendingCall<Row>[]): Promise<void> {
    // A stable order: calls on one lane stay in theirs.
    const group = calls.toSorted((one, other) => one.call[0] - other.call[0]);
    try {
      const columns = this.types.map((_, n) => group.map(({ call }) => call[n]));
      const rows = await this.shared.run<Row & MayBeGone>(this.statement, columns);
      for (const [n, { resolve, reject }] of group.entries()) {
        const row = rows[n]!;
        if (row.is_gone) reject(this.shared.refused());
        else resolve(row);
      }
    } catch (error) {
      if (group.length === 1 || error instanceof Unavailable) for (const { reject } of group) reject(error);
      // Only a call that fails by itself fails.
      else for (const each of group) await this.runGroup([each]);
    }
  }
}
