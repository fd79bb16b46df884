import { type ObservedKind, observedKinds } from 'rookery/channels';
import { badRequest } from '../console.errors.js';
import type { Happening } from '../watch/happening.js';

/** What somebody wants to see of what happens. */
export type LiveFilter = (happening: Happening) => boolean;

interface Asked {
  readonly kinds?: unknown;
  readonly channel?: unknown;
  readonly socket?: unknown;
}

/**
 * @param asked `kinds` with commas between, a `channel` in which a `*` stands for any characters, a `socket` id
 * @throws ConsoleError 400
 */
export function liveFilter({ kinds, channel, socket }: Asked): LiveFilter {
  const wanted = kindsIn(textOf(kinds));
  const isNamed = patternOf(textOf(channel));
  const socketId = textOf(socket);
  return (happening) =>
    (wanted === undefined || wanted.has(happening.kind)) &&
    (isNamed === undefined || (happening.channel !== undefined && isNamed(happening.channel))) &&
    (socketId === '' || happening.socketId === socketId || happening.excluded === socketId);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim().slice(0, 300) : '');

function kindsIn(text: string): ReadonlySet<ObservedKind> | undefined {
  if (text === '') return undefined;
  const names = text.split(',');
  const known = observedKinds.filter((kind) => names.includes(kind));
  if (known.length < new Set(names).size) throw badRequest(`kinds must be some of ${observedKinds.join(', ')}.`);
  return new Set(known);
}

/** Compared part by part, without a regular expression: a pattern may be made to take for ever. */
function patternOf(text: string): ((name: string) => boolean) | undefined {
  if (text === '') return undefined;
  const [first = '', ...others] = text.split('*');
  if (others.length === 0) return (name) => name === text;
  const last = others.at(-1)!;
  return (name) => {
    if (!name.startsWith(first)) return false;
    let at = first.length;
    for (const part of others.slice(0, -1)) {
      const found = name.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return name.length - last.length >= at && name.endsWith(last);
  };
}
