import type { NotificationRecord } from 'rookery/notifications';

/** The notification's own name: what its event and its push say. */
export const nameOf = ({ event }: NotificationRecord): string => (JSON.parse(event.data) as { readonly id: string }).id;

/** What devices got of a notification. */
export interface Pushed {
  /** By device: how often. */
  readonly times: ReadonlyMap<string, number>;
  /** How many publishes there were. */
  readonly publishes: number;
  /** Whether a process was interrupted, so that a page of a publish may have been sent twice. */
  readonly mayRepeat: boolean;
}

/**
 * What is wrong with a notification once everything has settled; undefined if nothing is.
 *
 * It was shown, read, replaced by a newer one, or else pushed to each device of its user, by one publish.
 */
export function wrongNotification(
  { pushedAt, shownAt, readAt, withdrawnAt, skippedAt }: NotificationRecord,
  devices: readonly string[],
  { times, publishes, mayRepeat }: Pushed,
): string | undefined {
  if (skippedAt !== undefined) return 'its push was left out';
  if (publishes > 1) return `it was published ${publishes} times`;
  if (pushedAt === undefined) {
    if (publishes > 0) return 'it was published, and that was not recorded';
    const isSettled = shownAt !== undefined || readAt !== undefined || withdrawnAt !== undefined;
    return isSettled ? undefined : 'it was neither shown nor pushed';
  }
  const missing = devices.filter((id) => !times.has(id)).length;
  if (missing > 0) return `${missing} of ${devices.length} devices never got it`;
  if (times.size > devices.length) return 'a device of another user got it';
  if (!mayRepeat && [...times.values()].some((count) => count > 1)) return 'a device got it twice';
  return undefined;
}

/** The notifications that a newer one with the same key has replaced, while they were unread. */
export function replacedAmong(all: readonly NotificationRecord[]): ReadonlySet<string> {
  const latest = new Map<string, string>();
  const replaced = new Set<string>();
  for (const { id, userId, collapseKey } of all) {
    if (collapseKey === undefined) continue;
    const before = latest.get(`${userId} ${collapseKey}`);
    if (before !== undefined) replaced.add(before);
    latest.set(`${userId} ${collapseKey}`, id);
  }
  return replaced;
}
