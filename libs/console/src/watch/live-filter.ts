import { type ObservedKind, observedKinds } from 'rookery/channels';
import { glob } from 'rookery/common';
import { badRequest } from '../console.errors.js';
import type { Activity } from '../contract.js';

/** Selects the activities that a viewer wants to see. */
export type LiveFilter = (activity: Activity) => boolean;

/** The filter as it is asked for. */
export interface LiveQuery {
  readonly kinds?: unknown;
  readonly channel?: unknown;
  readonly text?: unknown;
  readonly socket?: unknown;
}

/**
 * @param asked `kinds` separated by commas; a part of a `channel`'s name, or all of it with `*` for any characters; a
 * `text` in an event's name or data, a message or a user id; a `socket` id
 * @throws ConsoleError 400
 */
export function liveFilter({ kinds, channel, text, socket }: LiveQuery): LiveFilter {
  const wanted = kindsIn(textOf(kinds));
  const isNamed = partOf(textOf(channel));
  const words = textOf(text).toLowerCase();
  const socketId = textOf(socket);
  return (activity) =>
    (wanted === undefined || wanted.has(activity.kind)) &&
    (isNamed === undefined || (activity.channel !== undefined && isNamed(activity.channel.toLowerCase()))) &&
    (socketId === '' || activity.socketId === socketId || activity.excluded === socketId) &&
    (words === '' || textsOf(activity).some((each) => each?.toLowerCase().includes(words)));
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim().slice(0, 300) : '');

function partOf(channel: string): ((name: string) => boolean) | undefined {
  const part = channel.toLowerCase();
  if (part === '') return undefined;
  return part.includes('*') ? glob(part) : (name) => name.includes(part);
}

const textsOf = ({ name, data, message, userId, webhook }: Activity) => [
  name,
  data,
  message,
  userId,
  webhook?.url,
  ...(webhook?.events ?? []),
];

function kindsIn(text: string): ReadonlySet<ObservedKind> | undefined {
  if (text === '') return undefined;
  const names = text.split(',');
  const known = observedKinds.filter((kind) => names.includes(kind));
  if (known.length < new Set(names).size) throw badRequest(`kinds must be some of ${observedKinds.join(', ')}.`);
  return new Set(known);
}
