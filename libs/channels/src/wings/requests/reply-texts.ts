import { piecesOf } from '../../protocol/stream-piece.js';
import type { RequestError } from './request-error.js';

/**
 * A reply as its client receives it: one event, or above an event's limit the pieces of its JSON, as of a stream with the
 * request's id (channels-wire §17).
 *
 * @param json of the reply
 * @param eventDataBytes the bytes of one event's data
 */
export function replyTexts(
  channel: string | undefined,
  id: string,
  json: string,
  eventDataBytes: number,
): readonly string[] {
  const data = `{"id":${JSON.stringify(id)},"data":${json}}`;
  if (Buffer.byteLength(data) <= eventDataBytes) return [frame('rookery:reply', channel, data)];
  const pieces = piecesOf({ stream: id, at: 0, text: json, end: 'done' }, eventDataBytes);
  return pieces.map((piece) => frame('rookery:reply_piece', channel, piece));
}

/** `{"event":"rookery:reply",…}` with the data `{"id":"…","error":{"status":404,"message":"…"}}` */
export const errorReply = (
  channel: string | undefined,
  id: string,
  { status, message, unknown }: RequestError,
): string => frame('rookery:reply', channel, JSON.stringify({ id, error: { status, message, unknown } }));

/** `{"event":"rookery:reply","channel":"…","data":"…"}`: the data is JSON, sent as a string. */
export function frame(event: string, channel: string | undefined, data: string): string {
  const place = channel === undefined ? '' : `"channel":${JSON.stringify(channel)},`;
  return `{"event":"${event}",${place}"data":${JSON.stringify(data)}}`;
}
