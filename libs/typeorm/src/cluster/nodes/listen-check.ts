import { randomUUID } from 'node:crypto';
import type { Database } from '../../database/database.js';
import { DatabaseUnavailable } from '../../database/database-unavailable.js';
import { listeningClient } from '../../database/postgres-client.js';

const notice = 'rookery_listen_check';
const patienceMs = 5000;

/** Fails where notifications do not arrive, as behind a pooler that ends sessions with each transaction. */
export async function assertListening(database: Database): Promise<void> {
  const client = listeningClient(database.dataSource);
  client.on('error', () => undefined);
  const sent = randomUUID();
  try {
    await client.connect();
    const isHeard = new Promise<boolean>((resolve) => {
      setTimeout(() => resolve(false), patienceMs).unref();
      client.on('notification', ({ payload }: { readonly payload?: string }) => payload === sent && resolve(true));
    });
    await client.query(`LISTEN ${notice}`);
    await database.execute('SELECT pg_notify(?, ?)', [notice, sent]);
    if (await isHeard) return;
  } finally {
    await client.end().catch(() => undefined);
  }
  throw new DatabaseUnavailable(
    ': its notifications do not arrive, as behind a pooler in transaction mode: name PostgreSQL itself in listenUrl ' +
      '(DATABASE_LISTEN_URL)',
  );
}
