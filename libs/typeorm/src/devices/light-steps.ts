import type { Database } from '../database/database.js';

/** Interests that are removed together with their devices. A device that has more goes alone. */
const interestsAtOnce = 2000;

const interestsOf = `SELECT value AS id, (
    SELECT COUNT(*) FROM (SELECT 1 FROM rookery_device_interests WHERE device_id = value LIMIT ?) AS some
  ) AS interests FROM json_each(?)`;

/**
 * Devices in steps that hold SQLite, and with it the process, but briefly: what a removal costs are the interests.
 * PostgreSQL holds nobody up, so all are one step.
 */
export async function lightSteps(database: Database, ids: readonly string[]): Promise<readonly string[][]> {
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
