// The pages and the server filter alike: both import this file.

import { glob } from '../../common/src/glob.js';
import type { Activity, ActivityKind } from './contract/index.js';

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
  channel.includes('*') ? glob(channel) : (name) => name.includes(channel);
