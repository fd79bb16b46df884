import { type DeadLetter, type DeadLetterLimits, deadLetterPlace, placeOf, type WebhookDelivery } from 'rookery/common';
import type { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';

/** Rows that are forgotten with one burial, besides as many as it adds: the rest goes with the next. */
const forgottenAtOnce = 100;

interface DeadRow {
  readonly died_at: number | string;
  readonly place: string;
  readonly reason: string;
  readonly delivery: string;
}

/** Keeps letters that died together, in place of what they were, and forgets those that are too many or too old. */
export function* keepLetters(
  queue: string,
  deliveries: readonly WebhookDelivery[],
  death: Omit<DeadLetter, 'delivery'>,
  { most, keepMs }: DeadLetterLimits,
): Work<void> {
  const { diedAt, reason } = death;
  const row = '(?, ?, ?, ?, ?, ?, ?)';
  if (deliveries.length > 0)
    yield* run(
      `INSERT INTO rookery_dead_webhooks (id, queue, owner, place, died_at, reason, delivery)
       VALUES ${deliveries.map(() => row).join(', ')}
       ON CONFLICT (id) DO UPDATE SET place = excluded.place, died_at = excluded.died_at, reason = excluded.reason`,
      deliveries.flatMap((delivery) => {
        const place = deadLetterPlace({ delivery, ...death });
        return [delivery.id, queue, delivery.owner, place, diedAt, reason, JSON.stringify(delivery)];
      }),
    );
  const atOnce = forgottenAtOnce + deliveries.length;
  yield* forget('queue = ? AND place < ?', [queue, placeOf(diedAt - keepMs)], atOnce);
  const ofOwner = 'queue = ? AND owner = ?';
  const first = `SELECT place FROM rookery_dead_webhooks WHERE ${ofOwner} ORDER BY place DESC LIMIT 1 OFFSET ?`;
  for (const owner of new Set(deliveries.map((delivery) => delivery.owner)))
    yield* forget(`${ofOwner} AND place <= (${first})`, [queue, owner, queue, owner, most], atOnce);
}

/** The oldest of those go. */
const forget = (which: string, parameters: readonly unknown[], atOnce: number): Work<unknown> =>
  run(
    `DELETE FROM rookery_dead_webhooks WHERE id IN (
       SELECT id FROM rookery_dead_webhooks WHERE ${which} ORDER BY place LIMIT ?)`,
    [...parameters, atOnce],
  );

export async function readLetters(
  database: Database,
  queue: string,
  owner: string,
  after: string,
  limit: number,
): Promise<readonly DeadLetter[]> {
  const rows = await database.read<DeadRow>(
    `SELECT place, died_at, reason, delivery FROM rookery_dead_webhooks WHERE queue = ? AND owner = ? AND place > ?
     ORDER BY place LIMIT ?`,
    [queue, owner, after, limit],
  );
  return rows.map(letterOf);
}

/** Takes those out that the owner has, the oldest first. */
export function* takeLetters(
  { dialect: { each, list } }: Database,
  queue: string,
  owner: string,
  ids: readonly string[],
): Work<readonly DeadLetter[]> {
  const rows = yield* run<DeadRow>(
    `DELETE FROM rookery_dead_webhooks WHERE queue = ? AND owner = ? AND id IN (SELECT value FROM ${each})
     RETURNING place, died_at, reason, delivery`,
    [queue, owner, list(ids)],
  );
  return rows.toSorted((one, other) => (one.place < other.place ? -1 : 1)).map(letterOf);
}

// It was written by `keepLetter`.
const letterOf = ({ died_at: diedAt, reason, delivery }: DeadRow): DeadLetter => ({
  delivery: JSON.parse(delivery) as WebhookDelivery,
  diedAt: Number(diedAt),
  reason,
});
