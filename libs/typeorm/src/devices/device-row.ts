import { createHash } from 'node:crypto';
import {
  type ApnsEnvironment,
  type Device,
  type DeviceAddress,
  type Platform,
  type Registration,
  type RemovedDevice,
  tokenIdentity,
} from 'rookery/push-device';

/** A row of `rookery_devices` as both drivers return it; PostgreSQL's bigints are strings. */
export interface DeviceRow {
  readonly id: string;
  readonly instance_id: string;
  readonly platform: Platform;
  readonly token: string;
  readonly bundle_identifier: string | null;
  readonly user_id: string | null;
  readonly metadata: string;
  readonly registered_at: number | string;
  readonly gone_since: number | string | null;
  readonly environment: ApnsEnvironment | null;
  readonly vapid_key: string | null;
}

export const addressOf = (row: Omit<DeviceRow, 'metadata' | 'instance_id'>): DeviceAddress => ({
  id: row.id,
  platform: row.platform,
  token: row.token,
  bundleIdentifier: row.bundle_identifier ?? undefined,
  userId: row.user_id ?? undefined,
  registeredAt: Number(row.registered_at),
  goneSince: row.gone_since === null ? undefined : Number(row.gone_since),
  environment: row.environment ?? undefined,
  vapidKey: row.vapid_key ?? undefined,
});

export const deviceOf = (row: DeviceRow): Device => ({
  ...addressOf(row),
  instanceId: row.instance_id,
  // `register` or `setMetadata` wrote it.
  metadata: JSON.parse(row.metadata) as Readonly<Record<string, string>>,
});

/** The RETURNING columns of a removal. */
export const removedColumns = 'instance_id, id, user_id';
export type RemovedRow = Pick<DeviceRow, 'instance_id' | 'id' | 'user_id'>;

export const removedOf = ({ instance_id: instanceId, id, user_id: userId }: RemovedRow): RemovedDevice => ({
  instanceId,
  id,
  ...(userId !== null && { userId }),
});

type Token = Pick<Registration, 'platform' | 'token' | 'bundleIdentifier'>;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Names the device of a token: short enough for an index. */
export const tokenHash = (token: Token): string => hashOf(tokenIdentity(token));

/** The name that releases before {@link tokenIdentity} gave: of the token as it was spelled. */
export const spellingHash = ({ platform, token, bundleIdentifier }: Token): string =>
  hashOf(JSON.stringify([platform, token, (platform === 'apns' ? bundleIdentifier : undefined) ?? null]));
