import { isCombined, type PublishTarget } from 'rookery/push-device';
import { type Partition, partitionName, type Payloads, type Publish } from 'rookery/publish';
import { run, type Work } from '../database/statement.js';

/** A row of `rookery_publishes` as both drivers return it; PostgreSQL's bigints are strings. */
export interface PublishRow {
  readonly id: string;
  readonly instance_id: string;
  readonly body: string;
  readonly created_at: number | string;
  readonly finished_at: number | string | null;
  readonly cancelled_at: number | string | null;
}

interface Body {
  readonly audience: PublishTarget;
  readonly payloads: Payloads;
  readonly webhookUrl?: string;
  readonly publishAt?: number;
  readonly traceparent?: string;
}

/**
 * A body with combined interests is wrapped: a process of an earlier version, which would ignore how they are combined,
 * fails before it sends anything, and leaves the publish to others.
 */
export function bodyText({ target, payloads, webhookUrl, publishAt, traceparent }: Publish): string {
  const body: Body = { audience: target, payloads, webhookUrl, publishAt, traceparent };
  return JSON.stringify(isCombined(target) ? { combined: body } : body);
}

export function publishOfRow({ id, instance_id: instanceId, body, created_at: createdAt }: PublishRow): Publish {
  // `bodyText` wrote it.
  const stored = JSON.parse(body) as Body | { readonly combined: Body };
  const { audience: target, ...rest } = 'combined' in stored ? stored.combined : stored;
  return { id, instanceId, target, ...rest, createdAt: Number(createdAt) };
}

/** A row of `rookery_publish_partitions`. */
export interface PartitionRow {
  readonly state: string;
}

// `save` wrote it; before the column `gone_since`, without `removed`.
export const partitionOfRow = ({ state }: PartitionRow): Partition => ({
  removed: 0,
  ...(JSON.parse(state) as Omit<Partition, 'removed'>),
});

/** Selects every partition of a publish. */
export const partitionsOf = 'SELECT state FROM rookery_publish_partitions WHERE publish_id = ? ORDER BY partition';

export function* keepPartition(publishId: string, partition: Partition): Work<void> {
  yield* run(
    `INSERT INTO rookery_publish_partitions (publish_id, partition, state) VALUES (?, ?, ?)
     ON CONFLICT (publish_id, partition) DO UPDATE SET state = excluded.state`,
    [publishId, partitionName(partition), JSON.stringify(partition)],
  );
}
