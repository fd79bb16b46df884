import { cursorAfter } from '#http';
import { loggedUrl } from '#common';
import { type DeadLetter, deadLetterCursor } from './dead-letter.js';

/** The public fields of a dead letter: no headers, and the URL without possible secrets. */
export interface ShownDeadLetter {
  readonly id: string;
  readonly url: string;
  readonly body: string;
  readonly reason: string;
  /** In the format of RFC 3339 §5.6. */
  readonly diedAt: string;
}

/** One page of the list of dead letters, as both APIs return it. */
export interface DeadLetterPage {
  readonly webhooks: readonly ShownDeadLetter[];
  readonly responseMetadata: { readonly nextCursor?: string };
}

/** @param letters - the letters of the page, plus one if there is a next page */
export function deadLetterPage(letters: readonly DeadLetter[], limit: number): DeadLetterPage {
  const page = letters.slice(0, limit);
  const last = page.at(-1);
  return {
    webhooks: page.map(shown),
    responseMetadata: letters.length > limit && last ? { nextCursor: cursorAfter(deadLetterCursor(last)) } : {},
  };
}

const shown = ({ delivery: { id, url, body }, reason, diedAt }: DeadLetter): ShownDeadLetter => ({
  id,
  url: loggedUrl(url),
  body,
  reason,
  diedAt: new Date(diedAt).toISOString(),
});
