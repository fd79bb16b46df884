import type { EventEmitter } from 'node:events';
import { inspect } from 'node:util';
import { expect, it, vi } from 'vitest';
import { Unavailable } from 'rookery/push-device';
import { type Database, openDatabase, run, type Work } from 'rookery/internal/typeorm';
import { usePostgres } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';
import { RoughProxy } from '../support/rough-proxy.js';
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

  it('is away while its connections are reset: whatever was under way may be repeated', async () => {
    const target = new URL(url());
    const port = Number(target.port);
    const proxy = await RoughProxy.start(() => port);
    target.port = String(proxy.port);
    const reset = await openDatabase(String(target), 5);
    await reset.execute('CREATE TABLE IF NOT EXISTS resets (text text)');
    const rejected: unknown[] = [];
    let answered = 0;
    const ended = new AbortController();
    const ask = async (): Promise<void> => {
      while (!ended.signal.aborted) {
        const asked = [
          reset.read('SELECT pg_sleep(0.001)'),
          reset.execute('INSERT INTO resets VALUES (?)', ['x']),
          reset.write(() => run('INSERT INTO resets VALUES (?)', ['y'])),
        ];
        for (const outcome of await Promise.allSettled(asked))
          if (outcome.status === 'fulfilled') answered++;
          else rejected.push(outcome.reason);
      }
    };
    const asking = Promise.all([1, 2, 3].map(ask));
    for (let resets = 0; resets < 40; resets++) {
      const before = answered;
      await until(() => answered > before + 5, 'the database answers again');
      proxy.be('cut');
    }
    ended.abort();
    await asking;
    expect(rejected.length).toBeGreaterThan(0);
    expect(rejected.filter((error) => !(error instanceof Unavailable)).map(String)).toEqual([]);
    await reset.close();
    proxy.stop();
  });

  it('is away where a transaction idled for too long, or a statement took too long', async () => {
    const idle = await openDatabase(url(), 1);
    const ended = new Promise((resolve) => poolOf(idle).once('error', resolve).once('remove', resolve));
    const writing = idle.write(function* (): Work<void> {
      yield* run("SELECT set_config('idle_in_transaction_session_timeout', '50ms', true)");
      // The event loop is blocked for longer than that.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      yield* run('SELECT 2');
    });
    await expect(writing).rejects.toThrow(Unavailable);
    await ended;
    await idle.read("SELECT set_config('statement_timeout', '20ms', false)");
    await expect(idle.read('SELECT pg_sleep(10)')).rejects.toThrow(Unavailable);
    await idle.close();
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
