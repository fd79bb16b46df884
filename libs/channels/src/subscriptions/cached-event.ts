import type { Position, RememberedEvent } from '../broker/broker.js';
import { pieceOf } from '../protocol/stream-piece.js';
import type { Replayed } from '../wings/sessions/replay.js';
import type { Answered, Entered } from './subscription-state.js';

/** The event of a cache channel that its new subscriber lacks. */
export function cachedEvent(
  { subscription, remembered, streams, missed }: Entered,
  replayed: Replayed | undefined,
): Answered['cached'] {
  if (!subscription.channel.isCache || (streams && remembered && isStreamed(remembered.text))) return undefined;
  if (hasLatest(remembered, replayed, missed?.hasGap ? undefined : missed?.since)) return undefined;
  return remembered ?? 'none';
}

/** Whether an event is a piece of a stream: the texts of the streams contain it. */
export const isStreamed = (text: string): boolean => pieceOf(text) !== undefined;

/** Whether a returning client has the latest event of a cache channel, judging by its position and the replay. */
function hasLatest(
  remembered: RememberedEvent | undefined,
  replayed: Replayed | undefined,
  missedSince: Position | undefined,
): boolean {
  if (!replayed || missedSince === undefined) return false;
  return remembered ? remembered.position <= (replayed.last ?? missedSince) : replayed.last !== undefined;
}
