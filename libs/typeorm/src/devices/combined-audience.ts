import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TargetInterests } from 'rookery/push-device';
import type { Database } from '../database/database.js';
import type { Dialect } from '../database/dialect.js';
import { type AudiencePage, columns } from './audience.js';
import type { DeviceRow } from './device-row.js';

/** Index lookups of one read, which blocks the process on SQLite. */
const lookupsAtOnce = 20_000;

/** A device of the audience, or, without one, where the read ended: before the end of the audience. */
type FoundRow = { readonly place: string | null; readonly step: number } & (DeviceRow | { readonly id: null });

/** The first `limit` devices of an audience whose id is greater than `after`, in the order of ids. */
export async function combinedAudience(
  database: Database,
  instanceId: string,
  target: TargetInterests,
  after: string,
  limit: number,
): Promise<readonly DeviceRow[]> {
  const steps = stepsAtOnce(target);
  const found: DeviceRow[] = [];
  let place = `${after}!`;
  for (;;) {
    const { text, parameters } = combinedPage(database.dialect, instanceId, target, place, limit - found.length, steps);
    const rows = await database.read<FoundRow>(text, parameters);
    found.push(...rows.filter((row) => row.id !== null));
    const last = rows.at(-1);
    if (found.length === limit || last?.step !== steps || last.place === null) return found;
    // A device that was found is not found again.
    place = last.place.replace(' ', '!');
    await nextTurn();
  }
}

/** Each step looks up every interest once. */
const stepsAtOnce = ({ interests, allOf = [], noneOf = [] }: TargetInterests): number =>
  Math.ceil(lookupsAtOnce / (interests.length + allOf.length + noneOf.length));

/**
 * Each step finds the first device from a place on of `interests`, and of each interest of `allOf`. If it is the same
 * device for all, it is in the audience unless `noneOf` excludes it; otherwise no device before the last of them is, and
 * the next step starts there. So the devices that only the more popular interests have are skipped, not read.
 *
 * A place is a device id, with a mark once it is examined: a space if it is in the audience. Both marks sort below all
 * characters of ids, so the next device is the first from there on.
 */
function combinedPage(
  dialect: Dialect,
  instanceId: string,
  { interests, allOf = [], noneOf = [] }: TargetInterests,
  place: string,
  limit: number,
  steps: number,
): AudiencePage {
  const { each, list } = dialect;
  const first = `(SELECT device_id FROM rookery_device_interests
        WHERE instance_id = ? AND interest = value AND device_id >= leap.place ORDER BY device_id LIMIT 1)`;
  const found = `found + CASE WHEN place LIKE '% ' THEN 1 ELSE 0 END`;
  const text = `WITH RECURSIVE leap(place, found, step) AS (
      SELECT ${start(dialect)}, 0, 0
      UNION ALL
      SELECT (
        SELECT CASE
          WHEN present < required THEN NULL
          WHEN lowest < highest THEN highest
          WHEN EXISTS (SELECT 1 FROM ${each} WHERE EXISTS (
            SELECT 1 FROM rookery_device_interests WHERE instance_id = ? AND interest = value AND device_id = highest
          )) THEN highest || '!'
          ELSE highest || ' '
        END
        FROM (
          SELECT count(*) AS required, count(id) AS present, min(id) AS lowest, max(id) AS highest
          FROM (SELECT min(${first}) AS id FROM ${each} UNION ALL SELECT ${first} AS id FROM ${each}) AS firsts
        ) AS compared
      ), ${found}, step + 1
      FROM leap WHERE place IS NOT NULL AND step < ? AND ${found} < ?
    )
    SELECT leap.place, leap.step, ${columns} FROM leap LEFT JOIN ${deviceAt(dialect)}
    WHERE leap.place LIKE '% ' OR leap.step = ? ORDER BY leap.step`;
  const names = [list(noneOf), instanceId, instanceId, list(interests), instanceId, list(allOf)];
  return { text, parameters: [place, ...names, steps, limit, steps] };
}

const start = ({ byteOrder }: Dialect): string =>
  `CAST(? AS text)${byteOrder === undefined ? '' : ` COLLATE "${byteOrder}"`}`;

/** Looks up each device by id, as for any audience. */
const deviceAt = ({ name }: Dialect): string => {
  const isAt = `id = rtrim(leap.place) AND leap.place LIKE '% '`;
  return name === 'sqlite'
    ? `rookery_devices d ON d.${isAt}`
    : `LATERAL (SELECT * FROM rookery_devices WHERE ${isAt} LIMIT 1) AS d ON TRUE`;
};
