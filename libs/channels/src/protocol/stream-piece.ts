import { isObject } from '#common';
import { isClientEventText } from './client-event-text.js';

const ends = ['done', 'error', 'timeout'] as const;

/** How a stream ended: by its sender, because it failed, or because it was silent for too long. */
export type StreamEnd = (typeof ends)[number];

/** The data of an event of a stream: a piece of its text, wherever it comes from (channels-wire §14). */
export interface StreamPiece {
  /** The id of the stream. */
  readonly stream: string;
  /** How much of the stream comes before the text, in UTF-16 code units. */
  readonly at: number;
  readonly text: string;
  /** Absent while the stream goes on. */
  readonly end?: StreamEnd;
  /** With the end `error`: a text for users. */
  readonly message?: string;
}

/** A piece and the name of its event. */
export interface NamedPiece extends Pick<StreamPiece, 'stream' | 'at' | 'text'> {
  readonly event: string;
  readonly end: StreamEnd | undefined;
  readonly message: string | undefined;
}

/** Unescaped quotes stand only between the fields of an event, so this is found nowhere else. */
const begin = ',"data":"{\\"stream\\":\\"';
const beforeData = ',"data":'.length;
const beforeEvent = '{"event":'.length;
const beforeChannel = ',"channel":"';
const longestId = 200;

/**
 * @param text an event as clients receive it
 * @returns undefined for other events, and for client events, which must not pass for a server's
 */
export function pieceOf(text: string): NamedPiece | undefined {
  const at = text.indexOf(begin);
  if (at < 0 || isClientEventText(text)) return undefined;
  try {
    // Only clients' events have something after the data. Read in parts: much faster than all of it.
    const data = JSON.parse(text.slice(at + beforeData, -1)) as string;
    const piece: unknown = JSON.parse(data);
    if (!isPiece(piece)) return undefined;
    const event = JSON.parse(text.slice(beforeEvent, text.indexOf(beforeChannel))) as string;
    return { event, stream: piece.stream, at: piece.at, text: piece.text, end: piece.end, message: piece.message };
  } catch {
    return undefined;
  }
}

function isPiece(value: unknown): value is StreamPiece {
  if (!isObject(value)) return false;
  const { stream, at, text, end, message } = value;
  return (
    typeof stream === 'string' &&
    isStreamId(stream) &&
    Number.isSafeInteger(at) &&
    (at as number) >= 0 &&
    typeof text === 'string' &&
    (end === undefined || ends.includes(end as StreamEnd)) &&
    (message === undefined || typeof message === 'string')
  );
}

export const isStreamId = (id: string): boolean => id.length > 0 && id.length <= longestId;

/**
 * A piece as the data of as many events as it needs: each has at most so many bytes, and none cuts a character.
 * @example piecesOf({ stream: '1', at: 0, text: 'Hi' }, 10_240) // ['{"stream":"1","at":0,"text":"Hi"}']
 */
export function piecesOf({ stream, at, text, end, message }: StreamPiece, maxBytes: number): readonly string[] {
  const head = `{"stream":${JSON.stringify(stream)},"at":`;
  const said = message === undefined ? '' : `,"message":${JSON.stringify(message)}`;
  const tail = end === undefined ? '}' : `,"end":"${end}"${said}}`;
  // Most texts are far shorter; a code unit has at most six bytes of JSON.
  if ((stream.length + text.length + (message?.length ?? 0)) * 6 + 100 <= maxBytes)
    return [`${head}${at},"text":${JSON.stringify(text)}${tail}`];
  const room = maxBytes - Buffer.byteLength(head) - Buffer.byteLength(tail) - `${at + text.length},"text":""`.length;
  const pieces: string[] = [];
  let from = 0;
  do {
    const to = cutAt(text, from, room);
    pieces.push(`${head}${at + from},"text":${JSON.stringify(text.slice(from, to))}${to < text.length ? '}' : tail}`);
    from = to;
  } while (from < text.length);
  return pieces;
}

/** Where to cut a text so that its JSON has at most so many bytes, but at least one character. */
function cutAt(text: string, from: number, bytes: number): number {
  let used = 0;
  let to = from;
  while (to < text.length) {
    const code = text.codePointAt(to)!;
    used += jsonBytes(code);
    if (used > bytes && to > from) return to;
    to += code > 0xffff ? 2 : 1;
  }
  return to;
}

function jsonBytes(code: number): number {
  if (code < 0x20) return 6;
  if (code === 0x22 || code === 0x5c) return 2;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  // Half a character is written as an escape.
  if (code >= 0xd800 && code <= 0xdfff) return 6;
  return code > 0xffff ? 4 : 3;
}

/** The longest start of a text that ends with a whole character: the rest of the last one may follow. */
export function wholeCharacters(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
