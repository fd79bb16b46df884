import type { Activity, ActivityKind } from '../api/contract.js';

/** The viewer's filter; an empty field filters nothing. */
export interface Filter {
  readonly kinds: readonly ActivityKind[];
  /** A part of a channel's name, or all of it with `*` for any text. */
  readonly channel: string;
  /** A part of an event's name or data, of a message, a user id, or a webhook's URL or events. */
  readonly text: string;
  readonly socketId: string;
}

export const everything: Filter = { kinds: [], channel: '', text: '', socketId: '' };

export const isEverything = ({ kinds, channel, text, socketId }: Filter): boolean =>
  kinds.length === 0 && channel === '' && text === '' && socketId === '';

/** The filter as the server takes it, and as it stands in the address. */
export const queryOf = ({ kinds, channel, text, socketId }: Filter): Record<string, string> => ({
  kinds: kinds.join(','),
  channel,
  text,
  socket: socketId,
});

/** A function that decides whether to show an activity. */
export function matcherOf({ kinds, channel, text, socketId }: Filter): (activity: Activity) => boolean {
  const isNamed = channel === '' ? undefined : partOf(channel.toLowerCase());
  const words = text.toLowerCase();
  return (activity) =>
    (kinds.length === 0 || kinds.includes(activity.kind)) &&
    (!isNamed || (activity.channel !== undefined && isNamed(activity.channel.toLowerCase()))) &&
    (socketId === '' || activity.socketId === socketId || activity.excluded === socketId) &&
    (words === '' || textsOf(activity).some((each) => each?.toLowerCase().includes(words)));
}

const textsOf = ({ name, data, message, userId, webhook }: Activity) => [
  name,
  data,
  message,
  userId,
  webhook?.url,
  ...(webhook?.events ?? []),
];

const partOf = (channel: string): ((name: string) => boolean) =>
  channel.includes('*') ? patternOf(channel) : (name) => name.includes(channel);

/** Compares part by part, as the server does: a regular expression with several `*` may take forever. */
function patternOf(pattern: string): (channel: string) => boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop() ?? '';
  return (channel) => {
    let at = channel.startsWith(first) ? first.length : -1;
    for (const part of others) {
      const found = at < 0 ? -1 : channel.indexOf(part, at);
      at = found < 0 ? -1 : found + part.length;
    }
    return at >= 0 && channel.length - last.length >= at && channel.endsWith(last);
  };
}
