import { isCombined, type PublishTarget, type TargetInterests } from 'rookery/push-device';
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
  /** Null for combined interests: a process of a version that does not know them cannot send to too many devices. */
  readonly audience: PublishTarget | null;
  readonly combined?: TargetInterests;
  readonly payloads: Payloads;
  readonly webhookUrl?: string;
  readonly publishAt?: number;
  readonly traceparent?: string;
}

export function bodyText({ target, payloads, webhookUrl, publishAt, traceparent }: Publish): string {
  const audience = isCombined(target) ? { audience: null, combined: target } : { audience: target };
  return JSON.stringify({ ...audience, payloads, webhookUrl, publishAt, traceparent } satisfies Body);
}

export function publishOfRow({ id, instance_id: instanceId, body, created_at: createdAt }: PublishRow): Publish {
  // `bodyText` wrote it.
  const { audience, combined, ...rest } = JSON.parse(body) as Body;
  return { id, instanceId, target: (audience ?? combined)!, ...rest, createdAt: Number(createdAt) };
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
