import type { EventEmitter } from 'node:events';
import { inspect } from 'node:util';
import { expect, it, vi } from 'vitest';
import { type Database, openDatabase, run } from 'rookery/typeorm';
import { usePostgres } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';
import { until } from '../support/until.js';

/** The part of pg's pool that tells what waits for its connections. */
interface Pool extends EventEmitter {
  readonly waitingCount: number;
}
const poolOf = ({ dataSource }: Database) => (dataSource.driver as unknown as { readonly master: Pool }).master;

describePostgres('PostgreSQL', () => {
  const { database, url } = usePostgres();

  it('names the fault of a statement, and none of its values, which may be secrets', async () => {
    await database().execute(`CREATE TABLE kept (text text CONSTRAINT short CHECK (length(text) < 3), other text)`);
    const values = ['a secret value', 'another secret'];
    const insert = 'INSERT INTO kept (text, other) VALUES (?, ?)';
    const outcomes = await Promise.allSettled([
      database().execute(insert, values),
      database().write(() => run(insert, values)),
      database().read('SELECT 1 / (length(?) - 14), ?', values),
    ]);
    const said = outcomes.map((outcome) => inspect(outcome.status === 'rejected' ? outcome.reason : outcome));
    expect(said).toEqual([
      expect.stringContaining('violates check constraint "short"'),
      expect.stringContaining('violates check constraint "short"'),
      expect.stringContaining('division by zero'),
    ]);
    expect(said.join('\n')).not.toContain('secret');
  });

  it('outlives the loss of its connections', async () => {
    const lost = database().write(() => run('SELECT pg_terminate_backend(pg_backend_pid())'));
    await expect(lost).rejects.toThrow(/terminat/);
    expect(await database().read('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('outlives a connection that ends while it is handed over', async () => {
    const pool = poolOf(database());
    const ended = new Error('terminating connection due to administrator command');
    const handedOver = new Promise<unknown>((resolve) => {
      pool.once('acquire', (client: EventEmitter) => {
        // After the pool has let go of it, before TypeORM has got it.
        queueMicrotask(() => resolve(errorOf(() => client.emit('error', ended))));
      });
    });
    expect(await database().read('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await handedOver).toBeUndefined();
  });

  it('does not wait for ever for a connection that transactions hold which wait for it', async () => {
    const small = await openDatabase(url(), 3);
    let goOn = (): void => {};
    const allAreOpen = new Promise<void>((resolve) => (goOn = resolve));
    let open = 0;
    const transactions = Promise.allSettled(
      [1, 2, 3].map((one) =>
        small.dataSource.transaction(async () => {
          open += 1;
          await allAreOpen;
          return small.write(() => run('SELECT ?', [one]));
        }),
      ),
    );
    await until(() => open === 3, 'the transactions have begun');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      goOn();
      const reads = Promise.allSettled([small.read('SELECT 1 AS one')]);
      while (poolOf(small).waitingCount < 4) await new Promise(setImmediate);
      vi.advanceTimersByTime(10_000);
      for (const outcome of [...(await transactions), ...(await reads)])
        expect(outcome).toMatchObject({
          reason: { message: expect.stringMatching(/^The database cannot be reached: no connection .* \{ within: /) },
        });
      // Those that were handed out too late are back in the pool.
      expect(await Promise.all([1, 2, 3, 4].map(() => small.read('SELECT 1 AS one')))).toHaveLength(4);
    } finally {
      vi.useRealTimers();
      await small.dataSource.destroy();
    }
  });

  it('stays out of transactions that a library keeps in the asynchronous context', async () => {
    const query = vi.spyOn(database().dataSource, 'query').mockRejectedValue(new Error('in your transaction'));
    expect(await database().read('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    query.mockRestore();
  });
});

function errorOf(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}
