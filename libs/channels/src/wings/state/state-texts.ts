import { randomUUID } from 'node:crypto';
import { state, statePiece } from '../../protocol/frames.js';
import { piecesOf } from '../../protocol/stream-piece.js';

/** The limits on the events of a state, in bytes. */
export interface StateEventLimits {
  /** Of one event with the whole state, as it is sent. */
  readonly whole: number;
  /** Of a piece's data. */
  readonly piece: number;
}

/**
 * A state as clients receive it: one event, or the pieces of its JSON as of a stream (channels-wire §15).
 *
 * @param json of the state
 */
export function stateTexts(channel: string, json: string, limits: StateEventLimits): readonly string[] {
  const whole = state(channel, json);
  if (Buffer.byteLength(whole) <= limits.whole) return [whole];
  const pieces = piecesOf({ stream: randomUUID(), at: 0, text: json, end: 'done' }, limits.piece);
  return pieces.map((piece) => statePiece(channel, piece));
}
