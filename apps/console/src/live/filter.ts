import type { Activity, ActivityKind } from '../api/contract.js';

/** The viewer's filter; an empty field filters nothing. */
export interface Filter {
  readonly kinds: readonly ActivityKind[];
  /** A channel, or a pattern in which `*` matches any text. */
  readonly channel: string;
  readonly socketId: string;
}

export const everything: Filter = { kinds: [], channel: '', socketId: '' };

/** A function that decides whether to show an activity. */
export function matcherOf({ kinds, channel, socketId }: Filter): (activity: Activity) => boolean {
  const pattern = channel === '' ? undefined : patternOf(channel);
  return (activity) =>
    (kinds.length === 0 || kinds.includes(activity.kind)) &&
    (!pattern || (activity.channel !== undefined && pattern(activity.channel))) &&
    (socketId === '' || activity.socketId === socketId);
}

/** Compares part by part, as the server does: a regular expression with several `*` may take forever. */
function patternOf(pattern: string): (channel: string) => boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return (channel) => channel === pattern;
  return (channel) => {
    let at = channel.startsWith(first) ? first.length : -1;
    for (const part of others) {
      const found = at < 0 ? -1 : channel.indexOf(part, at);
      at = found < 0 ? -1 : found + part.length;
    }
    return at >= 0 && channel.length - last.length >= at && channel.endsWith(last);
  };
}
