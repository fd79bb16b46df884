import type { Audience } from 'rookery/push-device';
import type { Lane, Payloads, Publish } from 'rookery/publish';

/** A row of `rookery_publishes` as both drivers hand it over; PostgreSQL's bigints come as text. */
export interface PublishRow {
  readonly id: string;
  readonly instance_id: string;
  readonly body: string;
  readonly created_at: number | string;
  readonly finished_at: number | string | null;
}

interface Body {
  readonly audience: Audience;
  readonly payloads: Payloads;
  readonly webhookUrl?: string;
}

export const bodyText = ({ audience, payloads, webhookUrl }: Publish): string =>
  JSON.stringify({ audience, payloads, webhookUrl } satisfies Body);

export function publishOfRow({ id, instance_id: instanceId, body, created_at: createdAt }: PublishRow): Publish {
  // It was written by `bodyText`.
  return { id, instanceId, ...(JSON.parse(body) as Body), createdAt: Number(createdAt) };
}

/** A row of `rookery_publish_lanes`. */
export interface LaneRow {
  readonly state: string;
}

// It was written by `save`.
export const laneOfRow = ({ state }: LaneRow): Lane => JSON.parse(state) as Lane;
