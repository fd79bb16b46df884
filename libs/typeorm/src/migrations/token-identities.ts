import type { QueryRunner } from 'typeorm';
import { dataSourceOf } from '../database/data-source-of.js';
import { inSchemaOf } from '../database/schema.js';
import { type DeviceRow, tokenHash } from '../devices/device-row.js';

const rowsPerPage = 1000;

type Row = Pick<
  DeviceRow,
  'id' | 'instance_id' | 'platform' | 'token' | 'bundle_identifier' | 'user_id' | 'registered_at'
> & { readonly token_hash: string };

const columns = 'id, instance_id, platform, token, bundle_identifier, user_id, registered_at, token_hash';
const spelled = "(platform = 'web' OR (platform = 'apns' AND token <> lower(token)))";

/**
 * Names devices by what their token means instead of by its spelling. Of two rows for one device, the one that
 * registered last stays, with the interests of both, and the user and start token of the other if it has none.
 */
export async function nameDevicesByIdentity(runner: QueryRunner): Promise<void> {
  const query = queriesOf(runner);
  for (let after = '', rows: readonly Row[]; ; after = rows.at(-1)!.id) {
    rows = await query<Row>(
      `SELECT ${columns} FROM rookery_devices WHERE ${spelled} AND id > ? ORDER BY id LIMIT ${rowsPerPage}`,
      [after],
    );
    for (const row of rows) await rename(query, row);
    if (rows.length < rowsPerPage) return;
  }
}

type Query = <R>(text: string, values: readonly unknown[]) => Promise<readonly R[]>;

/** Statements with `?`, which PostgreSQL numbers. */
function queriesOf(runner: QueryRunner): Query {
  const source = dataSourceOf(runner);
  const inSchema = inSchemaOf(source);
  const isPostgres = source.options.type === 'postgres';
  let count = 0;
  const numbered = (text: string): string =>
    isPostgres ? ((count = 0), text.replaceAll('?', () => `$${(count += 1)}`)) : text;
  // TypeORM answers a SELECT with its rows.
  return async (text, values) => (await runner.query(numbered(inSchema(text)), [...values])) as never;
}

async function rename(query: Query, row: Row): Promise<void> {
  const token = row.platform === 'apns' ? row.token.toLowerCase() : row.token;
  const hash = tokenHash({ platform: row.platform, token, bundleIdentifier: row.bundle_identifier ?? undefined });
  const { token_hash: known } = row;
  if (hash === known) return;
  const [other] = await query<Row>(
    `SELECT ${columns} FROM rookery_devices WHERE instance_id = ? AND token_hash = ? AND id <> ?`,
    [row.instance_id, hash, row.id],
  );
  const isLatest = !other || Number(row.registered_at) >= Number(other.registered_at);
  if (other) await merge(query, isLatest ? other : row, isLatest ? row : other);
  if (!isLatest) return;
  await query('UPDATE rookery_devices SET token = ?, token_hash = ? WHERE id = ?', [token, hash, row.id]);
}

async function merge(query: Query, from: Row, into: Row): Promise<void> {
  await query(
    `INSERT INTO rookery_device_interests (instance_id, interest, device_id)
     SELECT instance_id, interest, ? FROM rookery_device_interests WHERE device_id = ? ON CONFLICT DO NOTHING`,
    [into.id, from.id],
  );
  await query(
    `INSERT INTO rookery_start_tokens (instance_id, device_id, token)
     SELECT instance_id, ?, token FROM rookery_start_tokens WHERE device_id = ? ON CONFLICT DO NOTHING`,
    [into.id, from.id],
  );
  await query('DELETE FROM rookery_start_tokens WHERE device_id = ?', [from.id]);
  await query('DELETE FROM rookery_device_interests WHERE device_id = ?', [from.id]);
  await query('DELETE FROM rookery_devices WHERE id = ?', [from.id]);
  await query('UPDATE rookery_devices SET user_id = COALESCE(user_id, ?) WHERE id = ?', [from.user_id, into.id]);
}
