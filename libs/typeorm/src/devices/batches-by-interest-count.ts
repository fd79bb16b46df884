import type { Database } from '../database/database.js';

/** Interests to remove in one step, with their devices. A device with more is a step of its own. */
const interestsAtOnce = 2000;

const interestsOf = `SELECT value AS id, (
    SELECT COUNT(*) FROM (SELECT 1 FROM rookery_device_interests WHERE device_id = value LIMIT ?) AS some
  ) AS interests FROM json_each(?)`;

/**
 * Splits devices into steps that block SQLite, and with it the process, only briefly: the cost of a removal is in the
 * interests. PostgreSQL does not block others, so it gets a single step.
 */
export async function batchesByInterestCount(database: Database, ids: readonly string[]): Promise<readonly string[][]> {
  const { dialect } = database;
  if (dialect.name === 'postgres' || ids.length < 2) return [[...ids]];
  const devices = await database.read<{ readonly id: string; readonly interests: number }>(interestsOf, [
    interestsAtOnce,
    dialect.list(ids),
  ]);
  const steps: string[][] = [];
  let step: string[] = [];
  let room = 0;
  for (const { id, interests } of devices) {
    if (step.length === 0 || interests > room) {
      steps.push((step = []));
      room = interestsAtOnce;
    }
    step.push(id);
    room -= interests;
  }
  return steps;
}
