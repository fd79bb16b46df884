import type { Partition, Publish, PublishOutbox } from 'rookery/publish';
import type { Build } from '../builds.js';
import * as rows from '../../../libs/typeorm/src/publishes/publish-row.js';

type Rows = typeof rows;

/** As one build writes a publish, and another reads it. */
const publishOver = (publish: Publish, written: Rows, read: Rows): Publish =>
  read.publishOfRow({
    id: publish.id,
    instance_id: publish.instanceId,
    body: written.bodyText(publish),
    created_at: publish.createdAt,
    finished_at: null,
    cancelled_at: null,
  });

const partitionOver = (partition: Partition, read: Rows): Partition =>
  read.partitionOfRow({ state: JSON.stringify(partition) });

/** The outbox as the nodes of another build see it: both write rows, and each reads those of the other as it does. */
export function throughRows(outbox: PublishOutbox, { publishRows: theirs }: Build): PublishOutbox {
  const changed: Partial<PublishOutbox> = {
    add: (publish, once) => outbox.add(publishOver(publish, theirs, rows), once),
    save: (job, partition, { handedOver, ...change } = { again: [], settled: [] }) =>
      outbox.save(job, partitionOver(partition, rows), {
        ...change,
        ...(handedOver && { handedOver: { ...handedOver, partition: partitionOver(handedOver.partition, rows) } }),
      }),
    leave: async (job) => (await outbox.leave(job))?.map((partition) => partitionOver(partition, theirs)),
    find: async (instanceId, publishId) => {
      const found = await outbox.find(instanceId, publishId);
      if (!found) return found;
      const partitions = found.partitions.map((partition) => partitionOver(partition, theirs));
      return { ...found, publish: publishOver(found.publish, rows, theirs), partitions };
    },
    latest: async (...of) => (await outbox.latest(...of)).map((publish) => publishOver(publish, rows, theirs)),
  };
  return new Proxy(outbox, {
    get: (target, name) => (changed as Record<string | symbol, unknown>)[name] ?? bound(target, name),
  });
}

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? (value as (...of: unknown[]) => unknown).bind(target) : value;
}
