import type { EventEmitter } from 'node:events';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { run } from 'rookery/typeorm';
import { usePostgres } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';

describePostgres('PostgreSQL', () => {
  const { database } = usePostgres();

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
    const { master: pool } = database().dataSource.driver as unknown as { readonly master: EventEmitter };
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
});

function errorOf(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}
