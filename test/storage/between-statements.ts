import { isDeepStrictEqual } from 'node:util';
import type { Database } from 'rookery/internal/typeorm';
import { until } from '../support/until.js';

/** The lock that a paused transaction waits for. */
const lock = 7_041_776;

/** Pauses a caller's work before one of its statements. */
class Pause {
  private at = -1;
  private count = 0;
  private isReached = false;
  private isOver: Promise<void> = Promise.resolve();

  /** Counts the statements of a work. */
  async countOf(work: () => Promise<unknown>): Promise<number> {
    this.begin(-1);
    await work();
    return this.count;
  }

  begin(at: number, isOver: Promise<void> = Promise.resolve()): void {
    Object.assign(this, { at, count: 0, isReached: false, isOver });
  }

  get hasBegun(): boolean {
    return this.isReached;
  }

  /** Whether the next statement is the one to wait before. */
  isNow(): boolean {
    const isNow = this.count++ === this.at;
    if (isNow) this.isReached = true;
    return isNow;
  }

  /**
   * The database for the work. A transaction of SQLite runs in one turn: there, only what comes between two calls can
   * get between statements.
   */
  around(database: Database): Database {
    const isOne = database.dialect.name === 'sqlite';
    const { isNow, before } = { isNow: () => this.isNow(), before: () => (this.isNow() ? this.isOver : undefined) };
    return new Proxy(database, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (key === 'read' || key === 'execute')
          return async (...args: unknown[]) => {
            await before();
            return Reflect.apply(member as () => unknown, target, args);
          };
        if (key === 'write')
          return async (work: Parameters<Database['write']>[0]) => {
            await before();
            return target.write(isOne ? work : () => paused(work, isNow));
          };
        return typeof member === 'function' ? (member.bind(target) as unknown) : member;
      },
    });
  }
}

/** The work, with a statement that waits where it is to be paused. */
function* paused(work: Parameters<Database['write']>[0], isNow: () => boolean): ReturnType<typeof work> {
  const statements = work();
  let step = statements.next([]);
  for (let isFirst = true; !step.done; isFirst = false) {
    if (!isFirst && isNow()) yield { text: 'SELECT pg_advisory_xact_lock(?)', parameters: [lock] };
    step = statements.next(yield step.value);
  }
  return step.value;
}

/** A guard: two callers that write the same rows. */
export interface Guard<Port> {
  port(database: Database): Port;
  /** @param name of the tenant whose rows both write: of each run another */
  prepare?(port: Port, name: string): Promise<unknown>;
  one(port: Port, name: string): unknown;
  other(port: Port, name: string): unknown;
  /** What is stored. */
  end(port: Port, name: string): unknown;
  /** Ends what a port does by itself. */
  close?(port: Port): Promise<void>;
}

let runs = 0;

/**
 * Runs the other caller between any two statements of the first, and where it has to wait for a lock, at the same time.
 * @returns what is neither the outcome of the one before the other, nor the reverse
 */
export async function outcomesBetween<Port>(database: Database, guard: Guard<Port>): Promise<readonly string[]> {
  const pause = new Pause();
  const [mine, theirs] = [guard.port(pause.around(database)), guard.port(database)];
  try {
    return await outcomesOf(database, guard, pause, mine, theirs);
  } finally {
    for (const port of [mine, theirs]) await guard.close?.(port);
  }
}

async function outcomesOf<Port>(
  database: Database,
  guard: Guard<Port>,
  pause: Pause,
  mine: Port,
  theirs: Port,
): Promise<readonly string[]> {
  const run = async (both: (name: string) => Promise<readonly [unknown, unknown]>): Promise<unknown> => {
    const name = `tenant-${++runs}`;
    await guard.prepare?.(theirs, name);
    const [one, other] = await both(name);
    return plain({ one, other, end: await guard.end(theirs, name) }, name);
  };
  const one = (name: string) => answerOf(async () => guard.one(mine, name));
  const other = (name: string) => answerOf(async () => guard.other(theirs, name));
  let statements = 0;
  const allowed = [
    await run(async (name) => {
      let first: unknown;
      statements = await pause.countOf(async () => (first = await one(name)));
      return [first, await other(name)];
    }),
    await run(async (name) => {
      const second = await other(name);
      return [await one(name), second];
    }),
  ];
  const wrong: string[] = [];
  for (let at = 0; at < statements; at++) {
    const end = await run((name) =>
      between(
        database,
        pause,
        at,
        () => one(name),
        () => other(name),
      ),
    );
    if (!allowed.some((each) => isDeepStrictEqual(each, end)))
      wrong.push(`before statement ${at + 1} of ${statements}: ${JSON.stringify(end)}, not ${JSON.stringify(allowed)}`);
  }
  return wrong;
}

async function between(
  database: Database,
  pause: Pause,
  at: number,
  one: () => Promise<unknown>,
  other: () => Promise<unknown>,
): Promise<readonly [unknown, unknown]> {
  let goOn = (): void => {};
  pause.begin(at, new Promise<void>((resolve) => (goOn = resolve)));
  const gate = database.dialect.name === 'sqlite' ? undefined : database.dataSource.createQueryRunner();
  await gate?.query('SELECT pg_advisory_lock($1)', [lock]);
  try {
    let [isFirstOver, isOver] = [false, false];
    const first = one().finally(() => (isFirstOver = true));
    await until(() => pause.hasBegun || isFirstOver, 'the first caller is paused');
    const second = other().finally(() => (isOver = true));
    await until(async () => isOver || (await waiting(database)) > 0, 'the other is done, or waits');
    await gate?.query('SELECT pg_advisory_unlock($1)', [lock]);
    goOn();
    return [await first, await second];
  } finally {
    await gate?.release();
  }
}

/** How many transactions wait for a lock that another one holds, but for the pause. */
export async function waiting({ dialect, dataSource }: Database): Promise<number> {
  if (dialect.name === 'sqlite') return 0;
  const rows: readonly { readonly count: string }[] = await dataSource.query(
    `SELECT COUNT(*) AS count FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
     WHERE NOT l.granted AND a.datname = current_database() AND NOT (l.locktype = 'advisory' AND l.objid = ${lock})`,
  );
  return Number(rows[0]!.count);
}

async function answerOf(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    return `threw ${(error as Error).constructor.name}`;
  }
}

/** Without the name of the run. */
const plain = (value: unknown, name: string): unknown =>
  JSON.parse((JSON.stringify(value) ?? 'null').replaceAll(name, 'tenant'));
