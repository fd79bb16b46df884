import { Insertion } from '../database/many-rows.js';
import type { EventToKeep } from './keeping.js';

/** Shorter texts are kept with each channel: the row of a shared text would save little. */
const minLength = 512;
/** How soon a text is checked for the first time, in microseconds. */
export const firstCheckMicroseconds = 10_000_000;

/** A text without the channel's name, which stood at an index. */
interface Nameless {
  readonly prefix: string;
  readonly text: string;
  readonly nameAt: number;
}

/** The columns of a text, beside those of an event on one of its channels. */
export interface SharedTextRow {
  readonly text: string;
  readonly shared_text: string | null;
  readonly name_at: number | string | null;
}

/** Writes them. */
export const shareTexts = new Insertion(
  'INSERT INTO rookery_shared_texts (first_position, last_position, names, due_at, name_at, text)',
);

/** Selects {@link SharedTextRow} of an event `e`, with {@link joinSharedText}. */
export const sharedTextColumns = 'e.text, s.text AS shared_text, s.name_at';

/** Finds the text by the event's position, so an event that a process of an earlier release writes has its own. */
export const joinSharedText = `LEFT JOIN rookery_shared_texts s ON s.last_position >= e.position
  AND s.first_position = (SELECT MAX(first_position) FROM rookery_shared_texts WHERE first_position <= e.position)`;

/** The names of the rows, from the column `names`. */
export function namesIn(json: string): readonly string[] {
  const [prefix, ...channels] = JSON.parse(json) as string[];
  return channels.map((channel) => prefix + channel);
}

const namesOf = (events: readonly EventToKeep[]): string =>
  JSON.stringify([prefixOf(events[0]!), ...events.map(({ channel }) => channel)]);

/** What the names of all channels of an app begin with. */
const prefixOf = ({ name, channel }: EventToKeep): string => name.slice(0, name.length - channel.length);

/** The event's text on the channel. */
export function textOn(channel: string, { text, shared_text: shared, name_at: nameAt }: SharedTextRow): string {
  if (shared === null) return text;
  return `${shared.slice(0, Number(nameAt))}${JSON.stringify(channel)}${shared.slice(Number(nameAt))}`;
}

/**
 * Finds the texts that events next to each other have in common, apart from the name of their channels: those of one
 * trigger.
 *
 * @param now in epoch microseconds
 * @returns the rows of the texts, and the events as their own rows have them; undefined if there are none
 */
export function textsToShare(
  events: readonly EventToKeep[],
  positions: readonly number[],
  now: number,
): { readonly rows: readonly unknown[][]; readonly events: readonly EventToKeep[] } | undefined {
  let written: EventToKeep[] | undefined;
  let rows: unknown[][] | undefined;
  for (let from = 0, to = 1; from < events.length; from = to, to = from + 1) {
    if (!mayShare(events[from]!, events[to])) continue;
    const shared = nameless(events[from]!);
    if (!shared) continue;
    while (to < events.length && mayShare(events[from]!, events[to]) && isOf(shared, events[to]!)) to += 1;
    if (to === from + 1) continue;
    const due = now + firstCheckMicroseconds;
    (rows ??= []).push([
      positions[from],
      positions[to - 1],
      namesOf(events.slice(from, to)),
      due,
      shared.nameAt,
      shared.text,
    ]);
    written ??= [...events];
    for (let at = from; at < to; at++) written[at] = { ...events[at]!, text: gap(events[at]!.channel) };
  }
  return rows && written && { rows, events: written };
}

/** Costs next to nothing for events of one channel, and for most of different triggers. */
const mayShare = (one: EventToKeep, next: EventToKeep | undefined): boolean =>
  next !== undefined &&
  one.text.length >= minLength &&
  one.text.length - one.channel.length === next.text.length - next.channel.length &&
  next.channel !== one.channel;

function nameless(event: EventToKeep): Nameless | undefined {
  const { text, channel } = event;
  const nameAt = placeOf(text, channel);
  if (nameAt < 0) return undefined;
  const rest = text.slice(nameAt + JSON.stringify(channel).length);
  return { prefix: prefixOf(event), text: text.slice(0, nameAt) + rest, nameAt };
}

function isOf({ prefix, text, nameAt }: Nameless, event: EventToKeep): boolean {
  const length = JSON.stringify(event.channel).length;
  if (
    prefixOf(event) !== prefix ||
    event.text.length !== text.length + length ||
    placeOf(event.text, event.channel) !== nameAt
  )
    return false;
  return event.text.startsWith(text.slice(0, nameAt)) && event.text.endsWith(text.slice(nameAt));
}

const field = '"channel":';

/** @returns where the name is, or a negative number */
function placeOf(text: string, channel: string): number {
  const at = text.indexOf(field + JSON.stringify(channel));
  return at < 0 ? at : at + field.length;
}

/** In a row with a shared text: what a process of an earlier release sends, so that its clients reload. */
const gap = (channel: string): string =>
  JSON.stringify({ event: 'rookery:gap', channel, data: JSON.stringify({ channel }) });
