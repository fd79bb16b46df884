import type { DataSource, QueryRunner } from 'typeorm';
import { isAway } from '#common';
import { HangWatch, type Reaction } from './hang-watch.js';
import { ownClient, type PostgresClient } from './postgres-client.js';
import { StatementFailed } from './statement-failed.js';
import type { Rows } from './statement.js';

/** How long work waits for one of the pool's connections. */
export const patienceMs = 10_000;

/** How long a new connection may take to answer, while a statement is slow. */
const probeMs = 1000;

/** All connections of the pool are in use, possibly by transactions that wait for this very work. */
export class NoConnection extends Error {
  constructor() {
    super(
      `no connection of the pool became free within ${patienceMs / 1000} s. In a transaction of yours, pass it as ` +
        '{ within: manager }: the call then needs no second connection. Otherwise, enlarge the pool (poolSize)',
    );
  }
}

/** The pool's connections, watched for answers. */
export class PostgresConnections {
  private readonly watch: HangWatch;

  constructor(
    private readonly dataSource: DataSource,
    isPatient?: () => boolean,
  ) {
    this.watch = new HangWatch(() => reactionOf(dataSource), isPatient);
  }

  /**
   * Runs work on one of the pool's connections, as pg has it: statements that run every second then fill no log of the
   * application's, and stay out of a transaction that a library keeps in the asynchronous context.
   *
   * @throws NoConnection, or NoAnswer while the database hangs
   */
  async use<T>(work: (client: PostgresClient) => Promise<T>): Promise<T> {
    const runner = this.dataSource.createQueryRunner();
    const client = await this.connectionOf(runner);
    try {
      return await work(client);
    } finally {
      await runner.release();
    }
  }

  /** @throws StatementFailed, or NoAnswer: then the connection is closed, and the pool removes it */
  rowsOf(client: PostgresClient, text: string, parameters?: readonly unknown[]): Promise<Rows> {
    return new Promise((resolve, reject) => {
      const waiting = this.watch.begin((reason) => {
        reject(reason);
        client.end().catch(() => undefined);
      });
      const failed = (error: unknown): void =>
        reject(error instanceof Error ? new StatementFailed(error, text) : error);
      client
        .query(text, parameters)
        .then(({ rows }) => resolve(rows), failed)
        .finally(() => this.watch.end(waiting));
    });
  }

  stop(): void {
    this.watch.stop();
  }

  private connectionOf(runner: QueryRunner): Promise<PostgresClient> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const giveUp = (reason: Error): void => {
        isLate = true;
        reject(reason);
      };
      const waiting = this.watch.begin(giveUp);
      const timer = setTimeout(() => giveUp(new NoConnection()), patienceMs);
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        this.watch.end(waiting);
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
}

async function reactionOf(dataSource: DataSource): Promise<Reaction> {
  const client = ownClient(dataSource, { connectionTimeoutMillis: probeMs, query_timeout: probeMs });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return 'answers';
  } catch (error) {
    return reactionBy(error);
  } finally {
    client.end().catch(() => undefined);
  }
}

/** `53300`: it answers, but has no connection left for a probe. */
function reactionBy(error: unknown): Reaction {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  if (/^(timeout expired|Query read timeout)/.test(message)) return 'is silent';
  return code === '53300' || !isAway(error) ? 'answers' : 'refuses';
}
