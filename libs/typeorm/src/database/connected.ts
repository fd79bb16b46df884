import type { DataSource, QueryRunner } from 'typeorm';

/** How long work waits for one of the pool's connections. */
const patienceMs = 10_000;

/** All connections of the pool are in use, possibly by transactions that wait for this very work. */
export class NoConnection extends Error {
  constructor() {
    super(
      `no connection of the pool became free within ${patienceMs / 1000} s. In a transaction of yours, pass it as ` +
        '{ within: manager }: the call then needs no second connection. Otherwise, enlarge the pool (poolSize)',
    );
  }
}

/** The part of a pg client that Rookery uses. */
export interface PostgresClient {
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly object[] }>;
}

/**
 * Runs work on one of the pool's connections, as pg has it: statements that run every second then fill no log of the
 * application's, and stay out of a transaction that a library keeps in the asynchronous context.
 *
 * @throws NoConnection
 */
export async function connected<T>(dataSource: DataSource, work: (client: PostgresClient) => Promise<T>): Promise<T> {
  const runner = dataSource.createQueryRunner();
  const client = await connectionOf(runner);
  try {
    return await work(client);
  } finally {
    await runner.release();
  }
}

function connectionOf(runner: QueryRunner): Promise<PostgresClient> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      reject(new NoConnection());
    }, patienceMs);
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      // The pool has handed the connection out too late.
      if (isLate) void runner.release();
      else settle();
    };
    runner.connect().then(
      (client: PostgresClient) => end(() => resolve(client)),
      (error: unknown) => end(() => reject(error)),
    );
  });
}
