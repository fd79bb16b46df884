import { createHash } from 'node:crypto';
import type {
  ApnsEnvironment,
  Device,
  DeviceAddress,
  Platform,
  Registration,
  RemovedDevice,
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

/**
 * Identifies a token within its gateway (beams-wire §12.2): apns tokens belong to an app. Short enough for an index.
 */
export function tokenHash({
  platform,
  token,
  bundleIdentifier,
}: Pick<Registration, 'platform' | 'token' | 'bundleIdentifier'>): string {
  const app = platform === 'apns' ? bundleIdentifier : undefined;
  return createHash('sha256')
    .update(JSON.stringify([platform, token, app ?? null]))
    .digest('base64url');
}
