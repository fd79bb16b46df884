// The command line answers in the same words.

import { serverNow } from '../api/server-clock.js';
import type { Verdict, Why } from '../api/contract.js';
import { clock, moment } from '../parts/time.js';

/** Each verdict in words, and its tone. */
export const verdictWords = {
  delivered: ['delivered', 'good'],
  not_delivered: ['not delivered', 'bad'],
  unknown: ['not known', 'warn'],
} as const;

const when = (at: number): string => (serverNow() - at < 43_200_000 ? clock(at).slice(0, 8) : moment(at));

/** The text, with its time as the reader's clock shows it. */
export const sentenceOf = ({ text, at }: Verdict): string =>
  at === undefined ? text : text.replace('{at}', () => when(at));

/** What to know of an event that the server does not have. */
export const notKept = ({ since, skippedAt }: Why): string =>
  `The server does not keep this event: it keeps events since ${when(since)}.` +
  (skippedAt === null ? '' : ` Until ${when(skippedAt)}, there were too many in a second to keep them all.`);
