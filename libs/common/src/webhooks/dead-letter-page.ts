import { cursorAfter } from '../http/page-cursor.js';
import { loggedUrl } from '../logged-url.js';
import { type DeadLetter, deadLetterPlace } from './dead-letter.js';

/** What is told of a dead letter: not its headers, nor of its URL what may be a secret. */
export interface ShownDeadLetter {
  readonly id: string;
  readonly url: string;
  readonly body: string;
  readonly reason: string;
  /** As in RFC 3339 §5.6. */
  readonly diedAt: string;
}

/** A page of the list of dead letters, as both APIs answer it. */
export interface DeadLetterPage {
  readonly webhooks: readonly ShownDeadLetter[];
  readonly responseMetadata: { readonly nextCursor?: string };
}

/** @param letters - those of the page, and one more where there is a next one */
export function deadLetterPage(letters: readonly DeadLetter[], limit: number): DeadLetterPage {
  const page = letters.slice(0, limit);
  const last = page.at(-1);
  return {
    webhooks: page.map(shown),
    responseMetadata: letters.length > limit && last ? { nextCursor: cursorAfter(deadLetterPlace(last)) } : {},
  };
}

const shown = ({ delivery: { id, url, body }, reason, diedAt }: DeadLetter): ShownDeadLetter => ({
  id,
  url: loggedUrl(url),
  body,
  reason,
  diedAt: new Date(diedAt).toISOString(),
});
