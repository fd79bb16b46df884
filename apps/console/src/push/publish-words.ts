// The command line shows publishes in the same words.

import type { Publish } from '../api/contract.js';

/** What became of a publish, in a word, and its tone. */
export function stateWord({ state, result, platforms }: Publish): readonly [word: string, tone: string] {
  if (state === 'sending' && platforms.some(({ fault }) => fault !== null)) return ['held up', 'bad'];
  if (state === 'sending' && platforms.some(({ retryAt }) => retryAt !== null)) return ['retrying', 'warn'];
  return result === null ? [state, stateTones[state]] : results[result];
}

const stateTones = { waiting: 'warn', sending: 'accent', done: 'good', cancelled: '' } as const;
const results = {
  sent: ['done', 'good'],
  partly: ['partly sent', 'warn'],
  failed: ['not sent', 'bad'],
  'no-devices': ['no devices', 'warn'],
} as const;

export const sumOf = ({ platforms }: Publish, what: 'sent' | 'failed' | 'later'): number =>
  platforms.reduce((sum, each) => sum + each[what], 0);

/** When it is or was sent; for a cancelled one, when it was made. */
export const timeOf = ({ at, publishAt, state }: Publish): number => (state === 'cancelled' ? at : (publishAt ?? at));

/** The audience in words: `news, sports; all of: premium; none of: muted`. */
export const audienceText = ({ interests, allOf, noneOf, users }: Publish): string =>
  [
    (interests ?? users ?? []).join(', '),
    allOf.length > 0 && `all of: ${allOf.join(', ')}`,
    noneOf.length > 0 && `none of: ${noneOf.join(', ')}`,
  ]
    .filter(Boolean)
    .join('; ');
