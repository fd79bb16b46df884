import { urlCredentials } from '#common';
import { type WebhookRequest } from '#webhooks';
import { type Platform, platforms } from 'rookery/push-device';
import type { Partition } from '../outbox/partition.js';
import { type PlatformTotals, platformTotals } from '../outbox/platform-totals.js';
import { bodyOf, type Publish } from '../publish.js';
import { stableUuid } from './stable-uuid.js';
import { tryTimes } from './try-times.js';

/** `{"publishId","status":"STARTED","requestBody":{…}}` to the publish's `webhookUrl` (beams-wire §7.2). */
export const startedRequest = (publish: Publish, now: number): WebhookRequest | undefined =>
  webhookUrlRequest(publish, 'STARTED', {}, now);

/** The same with FINISHED and `"results":{"fcm":{"numSuccessfulPublishes":2,"numFailedPublishes":1},…}`. */
export const finishedRequest = (
  publish: Publish,
  partitions: readonly Partition[],
  now: number,
): WebhookRequest | undefined => webhookUrlRequest(publish, 'FINISHED', { results: resultsOf(partitions) }, now);

function webhookUrlRequest(
  publish: Publish,
  status: 'STARTED' | 'FINISHED',
  more: object,
  now: number,
): WebhookRequest | undefined {
  if (publish.webhookUrl === undefined) return undefined;
  // § 7.2: the user and password of a URL become a header.
  const { url, headers } = urlCredentials(publish.webhookUrl);
  return {
    id: stableUuid(`${publish.id} ${status}`),
    owner: publish.instanceId,
    sequence: publish.id,
    untrusted: true,
    url,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ publishId: publish.id, status, requestBody: bodyOf(publish), ...more }),
    ...tryTimes(now),
  };
}

const resultsOf = (partitions: readonly Partition[]): Partial<Record<Platform, object>> =>
  Object.fromEntries(
    platforms.flatMap((platform) => {
      const totals = platformTotals(partitions, platform);
      return totals ? [[platform, resultOf(totals)]] : [];
    }),
  );

/** Omits zero counts, like the documentation's example; a platform that failed as a whole has only `failed`. */
function resultOf({ sent, failed, fault }: PlatformTotals): object {
  if (fault !== undefined && sent === 0) return { failed: true };
  const failures = Object.values(failed).reduce((sum, count) => sum + count, 0);
  return {
    ...(sent > 0 ? { numSuccessfulPublishes: sent } : {}),
    ...(failures > 0 ? { numFailedPublishes: failures } : {}),
  };
}
