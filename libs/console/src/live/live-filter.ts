import { type ObservedKind, observedKinds } from 'rookery/channels';
import { glob } from 'rookery/common';
import { badRequest } from '../console.errors.js';
import type { Activity } from '../contract.js';

/** Selects the activities that a viewer wants to see. */
export type LiveFilter = (activity: Activity) => boolean;

interface Asked {
  readonly kinds?: unknown;
  readonly channel?: unknown;
  readonly socket?: unknown;
}

/**
 * @param asked `kinds` separated by commas, a `channel` in which `*` matches any characters, a `socket` id
 * @throws ConsoleError 400
 */
export function liveFilter({ kinds, channel, socket }: Asked): LiveFilter {
  const wanted = kindsIn(textOf(kinds));
  const name = textOf(channel);
  const isNamed = name === '' ? undefined : glob(name);
  const socketId = textOf(socket);
  return (activity) =>
    (wanted === undefined || wanted.has(activity.kind)) &&
    (isNamed === undefined || (activity.channel !== undefined && isNamed(activity.channel))) &&
    (socketId === '' || activity.socketId === socketId || activity.excluded === socketId);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim().slice(0, 300) : '');

function kindsIn(text: string): ReadonlySet<ObservedKind> | undefined {
  if (text === '') return undefined;
  const names = text.split(',');
  const known = observedKinds.filter((kind) => names.includes(kind));
  if (known.length < new Set(names).size) throw badRequest(`kinds must be some of ${observedKinds.join(', ')}.`);
  return new Set(known);
}
