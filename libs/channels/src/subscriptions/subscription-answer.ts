import * as frames from '../protocol/frames.js';
import type { Joined } from './channel-entry.js';
import type { EarlierEvent, JoinedPart } from './subscription-part.js';

/** The answer to a subscription: its confirmation, then the texts of the parts. Each is written once the one before it was sent. */
export async function* answerTo({ subscription, parts }: Joined): AsyncGenerator<string, void, void> {
  const confirming = parts.find((part) => part.confirmation);
  yield confirming?.confirmation?.() ?? frames.subscriptionSucceeded(subscription.channel.name);
  for (const part of parts) if (part.texts) yield* part.texts(coveredByOthers(parts, part));
}

const coveredByOthers =
  (parts: readonly JoinedPart[], but: JoinedPart) =>
  (event: EarlierEvent | undefined): boolean =>
    parts.some((part) => part !== but && part.covers?.(event));
