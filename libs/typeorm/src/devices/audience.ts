import type { PublishTarget } from 'rookery/push-device';
import type { Dialect } from '../database/dialect.js';

export const columns =
  'd.id, d.platform, d.token, d.bundle_identifier, d.user_id, d.registered_at, d.gone_since, d.environment, d.vapid_key';

/** A SELECT of one page of an audience, with its parameters. */
export interface AudiencePage {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/**
 * A keyset page of an audience. Whatever the size of the audience and the tables, it reads only indexes, and only as
 * much as the page needs; a test checks the plans of both databases.
 */
export function audiencePage(
  dialect: Dialect,
  instanceId: string,
  { interests = [], users }: PublishTarget,
  after: string,
  limit: number,
): AudiencePage {
  return users
    ? pageOfUsers(dialect, instanceId, users, after, limit)
    : pageOfInterests(dialect, instanceId, [...new Set(interests)], after, limit);
}

/** Index entries that SQLite merges in one read, which blocks the process. */
const entriesAtOnce = 20_000;

/** The maximum number of devices per read: each may be found once per interest. */
export const devicesAtOnce = ({ name }: Dialect, { interests = [] }: PublishTarget): number =>
  name === 'sqlite' ? Math.ceil(entriesAtOnce / Math.max(1, interests.length)) : Infinity;

/** Users whose devices SQLite looks up in one read. */
const usersAtOnce = 200;

/** Splits the audience into disjoint parts, each small enough for one read. */
export function partsOf({ name }: Dialect, target: PublishTarget): readonly PublishTarget[] {
  if (name !== 'sqlite' || !target.users) return [target];
  const users = [...new Set(target.users)];
  const parts: PublishTarget[] = [];
  for (let start = 0; start < users.length; start += usersAtOnce)
    parts.push({ users: users.slice(start, start + usersAtOnce) });
  return parts;
}

/**
 * Each interest is a range of the table's key, sorted by device; the query merges the ranges only up to the end of the
 * page.
 */
function pageOfInterests(
  dialect: Dialect,
  instanceId: string,
  interests: readonly string[],
  after: string,
  limit: number,
): AudiencePage {
  const { text, parameters } = (dialect.name === 'sqlite' ? mergedBySqlite : mergedByPostgres)(
    interests.map((interest) => [instanceId, interest, after]),
    limit,
  );
  return { text: `SELECT ${columns} FROM (${text}) AS page ${deviceOf(dialect)} ORDER BY page.id`, parameters };
}

const range =
  'SELECT device_id AS id FROM rookery_device_interests WHERE instance_id = ? AND interest = ? AND device_id > ?';
const noDevices = `SELECT '' AS id WHERE 1 = 0`;

/** SQLite merges a sorted UNION lazily, but only without inner limits. */
const mergedBySqlite = (ranges: readonly (readonly string[])[], limit: number): AudiencePage => ({
  text: `${ranges.map(() => range).join(' UNION ') || noDevices} ORDER BY id LIMIT ?`,
  parameters: [...ranges.flat(), limit],
});

/** PostgreSQL merges lazily if each range is sorted and limited; DISTINCT ON keeps it from hashing them all. */
const mergedByPostgres = (ranges: readonly (readonly string[])[], limit: number): AudiencePage => ({
  text: `SELECT DISTINCT ON (id) id FROM (
      ${ranges.map(() => `(${range} ORDER BY id LIMIT ?)`).join(' UNION ALL ') || noDevices}
    ) AS every ORDER BY id LIMIT ?`,
  parameters: [...ranges.flatMap((parameters) => [...parameters, limit]), limit],
});

/** A user has few devices, so it looks up all remaining devices of the users first: no plan then scans the table. */
function pageOfUsers(
  dialect: Dialect,
  instanceId: string,
  users: readonly string[],
  after: string,
  limit: number,
): AudiencePage {
  return {
    text: `WITH audience AS MATERIALIZED (
        SELECT d.id FROM (SELECT DISTINCT value FROM ${dialect.each}) AS named
        JOIN rookery_devices d ON d.instance_id = ? AND d.user_id = named.value AND d.id > ?
      ), page AS MATERIALIZED (SELECT id FROM audience ORDER BY id LIMIT ?)
      SELECT ${columns} FROM page ${deviceOf(dialect)} ORDER BY page.id`,
    parameters: [dialect.list(users), instanceId, after, limit],
  };
}

/** Looks up each device of a page by id: PostgreSQL might otherwise estimate that a full scan is cheaper. */
const deviceOf = ({ name }: Dialect): string =>
  name === 'sqlite'
    ? 'JOIN rookery_devices d ON d.id = page.id'
    : 'CROSS JOIN LATERAL (SELECT * FROM rookery_devices WHERE id = page.id LIMIT 1) AS d';
