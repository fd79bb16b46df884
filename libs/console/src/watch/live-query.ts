import { badRequest } from '../console.errors.js';
import { type ActivityKind, activityKinds } from '../contract/index.js';
import { matcherOf } from '../live-filter.js';

/** The filter as it is asked for. */
export interface LiveQuery {
  /** Separated by commas. */
  readonly kinds?: unknown;
  readonly channel?: unknown;
  readonly text?: unknown;
  readonly socket?: unknown;
}

/** Whether a viewer wants to see an activity. @throws ConsoleError 400 */
export const liveFilter = ({ kinds, channel, text, socket }: LiveQuery) =>
  matcherOf({
    kinds: kindsIn(textOf(kinds)),
    channel: textOf(channel),
    text: textOf(text),
    socketId: textOf(socket),
  });

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim().slice(0, 300) : '');

function kindsIn(text: string): readonly ActivityKind[] {
  if (text === '') return [];
  const names = text.split(',');
  const known = activityKinds.filter((kind) => names.includes(kind));
  if (known.length < new Set(names).size) throw badRequest(`kinds must be some of ${activityKinds.join(', ')}.`);
  return known;
}
