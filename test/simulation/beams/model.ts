import type { Partition, PublishRecord } from 'rookery/publish';
import type { AcceptedPublish } from './accepted.js';
import { pageSize } from './node.js';

/**
 * What is wrong with a publish once everything has settled; undefined if nothing is.
 *
 * Each device got it once. It may have got it again where a node gave up waiting for the gateway's answer, and with its
 * page when a node was interrupted before that page was stored.
 *
 * @param mayExpire whether its time may be over by the clock of another node: then it has failed for devices
 * @param isStale whether a node may have gone on from an earlier state, which lacks what was counted since
 */
export function wrongPublish(
  { finishedAt, partitions }: PublishRecord,
  devices: readonly string[],
  { times, unheard }: AcceptedPublish,
  interruptions: number,
  { mayExpire, isStale }: { readonly mayExpire: boolean; readonly isStale: boolean },
): string | undefined {
  const total = (of: (partition: Partition) => number): number => partitions.reduce((sum, each) => sum + of(each), 0);
  if (finishedAt === undefined) return 'it has not finished';
  const audience = new Set(devices);
  if ([...times.keys()].some((id) => !audience.has(id))) return 'a device got it that is not in its audience';
  const missing = devices.filter((id) => !times.has(id)).length;
  if (missing > (mayExpire ? total(failures) : 0)) return `${missing} of ${devices.length} devices never got it`;
  let again = 0;
  for (const [id, count] of times) again += Math.max(0, count - 1 - (unheard.get(id) ?? 0));
  if (again > interruptions * pageSize) return `${again} devices got it again after ${interruptions} interruptions`;
  if (isStale) return undefined;
  const [found, sent] = [total((each) => each.audience), total((each) => each.sent + (mayExpire ? failures(each) : 0))];
  if (found !== devices.length || sent !== devices.length)
    return `its status counts ${found} devices and ${sent} as sent, of ${devices.length}`;
  return undefined;
}

const failures = ({ failed }: Partition): number => Object.values(failed).reduce((sum, count) => sum + count, 0);
