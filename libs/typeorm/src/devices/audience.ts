import type { Audience } from 'rookery/push-device';
import type { Dialect } from '../database/dialect.js';

const columns = 'd.id, d.platform, d.token, d.bundle_identifier, d.user_id, d.registered_at';

/** A SELECT of one page of an audience, with its parameters. */
export interface AudiencePage {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** A keyset page of an audience, read from indexes however large the audience is. */
export function audiencePage(
  dialect: Dialect,
  instanceId: string,
  { interests = [], users }: Audience,
  after: string,
  limit: number,
): AudiencePage {
  return users
    ? pageOfUsers(dialect, instanceId, users, after, limit)
    : pageOfInterests(instanceId, [...new Set(interests)], after, limit);
}

/** Each interest gives its next `limit` devices, from the key of the table; the first `limit` of all are the page. */
function pageOfInterests(instanceId: string, interests: readonly string[], after: string, limit: number): AudiencePage {
  const next = `SELECT device_id FROM (SELECT device_id FROM rookery_device_interests
    WHERE instance_id = ? AND interest = ? AND device_id > ? ORDER BY device_id LIMIT ?) AS next`;
  return {
    text: `SELECT ${columns} FROM (
        SELECT DISTINCT device_id FROM (${interests.map(() => next).join(' UNION ALL ') || noDevices}) AS every
        ORDER BY device_id LIMIT ?
      ) AS page JOIN rookery_devices d ON d.id = page.device_id ORDER BY d.id`,
    parameters: [...interests.flatMap((interest) => [instanceId, interest, after, limit]), limit],
  };
}

const noDevices = `SELECT '' AS device_id WHERE 1 = 0`;

/** A user has few devices, so all that are left of the users are looked up first: no plan reads the table instead. */
function pageOfUsers(
  { each, list }: Dialect,
  instanceId: string,
  users: readonly string[],
  after: string,
  limit: number,
): AudiencePage {
  return {
    text: `WITH audience AS MATERIALIZED (
        SELECT d.id FROM (SELECT DISTINCT value FROM ${each}) AS named
        JOIN rookery_devices d ON d.instance_id = ? AND d.user_id = named.value AND d.id > ?
      ), page AS MATERIALIZED (SELECT id FROM audience ORDER BY id LIMIT ?)
      SELECT ${columns} FROM page JOIN rookery_devices d ON d.id = page.id ORDER BY d.id`,
    parameters: [list(users), instanceId, after, limit],
  };
}
