import { type DeadLetter, type DeadLetterLimits, deadLetterPlace, placeOf, type WebhookDelivery } from 'rookery/common';
import type { Database } from '../database/database.js';
import { run, type Work } from '../database/statement.js';

/** Rows that are forgotten with one burial, at most: the rest goes with the next. */
const forgottenAtOnce = 100;

interface DeadRow {
  readonly died_at: number | string;
  readonly place: string;
  readonly reason: string;
  readonly delivery: string;
}

/** Keeps a letter, in place of what it was, and forgets those that are too many or too old. */
export function* keepLetter(queue: string, letter: DeadLetter, { most, keepMs }: DeadLetterLimits): Work<void> {
  const { delivery, diedAt, reason } = letter;
  yield* run(
    `INSERT INTO rookery_dead_webhooks (id, queue, owner, place, died_at, reason, delivery) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET place = excluded.place, died_at = excluded.died_at, reason = excluded.reason`,
    [delivery.id, queue, delivery.owner, deadLetterPlace(letter), diedAt, reason, JSON.stringify(delivery)],
  );
  yield* forget('queue = ? AND place < ?', [queue, placeOf(diedAt - keepMs)]);
  const ofOwner = 'queue = ? AND owner = ?';
  const first = `SELECT place FROM rookery_dead_webhooks WHERE ${ofOwner} ORDER BY place DESC LIMIT 1 OFFSET ?`;
  const owner = [queue, delivery.owner];
  yield* forget(`${ofOwner} AND place <= (${first})`, [...owner, ...owner, most]);
}

/** The oldest of those go. */
const forget = (which: string, parameters: readonly unknown[]): Work<unknown> =>
  run(
    `DELETE FROM rookery_dead_webhooks WHERE id IN (
       SELECT id FROM rookery_dead_webhooks WHERE ${which} ORDER BY place LIMIT ?)`,
    [...parameters, forgottenAtOnce],
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
