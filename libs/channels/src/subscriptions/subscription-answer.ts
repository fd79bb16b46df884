import { type SentText, textOf } from '../connections/shared-text.js';
import * as frames from '../protocol/frames.js';
import type { Joined } from './channel-entry.js';
import type { EarlierEvent, JoinedPart } from './subscription-part.js';

/**
 * The answer to a subscription: its confirmation, then the texts of the parts. Each is written once the one before it
 * was sent.
 * @param sent called with the bytes that each text of a part took
 */
export async function* answerTo(
  { subscription, parts }: Joined,
  sent: (bytes: number) => void,
  confirmation?: string,
): AsyncGenerator<SentText, void, number> {
  const confirming = parts.find((part) => part.confirmation);
  yield confirmation ?? confirming?.confirmation?.() ?? frames.subscriptionSucceeded(subscription.channel.name);
  const watching = parts.filter((part) => part.observed);
  for (const part of parts) {
    const texts = part.texts?.(coveredByOthers(parts, part));
    for await (const text of texts ?? []) {
      sent(yield text);
      for (const each of watching) each.observed?.(textOf(text));
    }
  }
}

const coveredByOthers =
  (parts: readonly JoinedPart[], but: JoinedPart) =>
  (event: EarlierEvent | undefined): boolean =>
    parts.some((part) => part !== but && part.covers?.(event));
