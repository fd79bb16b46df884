import { randomUUID } from 'node:crypto';
import { state } from '../../protocol/frames.js';
import { piecesOf } from '../../protocol/stream-piece.js';

/**
 * A state as clients receive it: one event, or the pieces of its JSON as of a stream (channels-wire §15).
 *
 * @param json of the state
 * @param maxBytes of an event's data
 */
export function stateTexts(channel: string, json: string, maxBytes: number): readonly string[] {
  const whole = `{"state":${json}}`;
  const isSmall = Buffer.byteLength(whole) <= maxBytes;
  const data = isSmall ? [whole] : piecesOf({ stream: randomUUID(), at: 0, text: json, end: 'done' }, maxBytes);
  return data.map((each) => state(channel, each));
}
