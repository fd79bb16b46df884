import type { WebhookRequest } from '#webhooks';
import { platforms } from 'rookery/push-device';
import type { Partition } from '../outbox/partition.js';
import { platformTotals } from '../outbox/platform-totals.js';
import type { Publish } from '../publish.js';
import { stableUuid } from './stable-uuid.js';
import { tryTimes } from './try-times.js';

/** Notifies a listener, in this process or another, that a publish is finished. */
export function finishedForListener(
  { id, instanceId }: Publish,
  partitions: readonly Partition[],
  url: string,
  now: number,
): WebhookRequest {
  const totals = platforms.flatMap((platform) => {
    const found = platformTotals(partitions, platform);
    if (!found) return [];
    const { sent, failed, fault } = found;
    const failures = Object.values(failed).reduce((sum, count) => sum + count, 0);
    return [[platform, { sent, failed: failures, ...(fault === undefined ? {} : { fault }) }]];
  });
  return {
    id: stableUuid(`${id} ${url}`),
    owner: instanceId,
    sequence: id,
    url,
    headers: {},
    body: JSON.stringify({
      instance_id: instanceId,
      publish_id: id,
      platforms: Object.fromEntries(totals) as object,
      time_ms: now,
    }),
    ...tryTimes(now),
  };
}
