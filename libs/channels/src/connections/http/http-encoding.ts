import { ping } from '../../protocol/frames.js';
import type { Encoding } from '../transport.js';

/** `o`: the connection is open. Sent once; a second one tells pusher-js that the first is lost (channels-wire §11). */
export const opened = Buffer.from('o\n');

/** `a[]`: nothing new. It keeps proxies from hanging up, and answers the client's ping, which is `[]`. */
export const nothing = Buffer.from('a[]\n');

/** `c[4100,"Over capacity"]` */
export const closed = (code: number, reason: string): Buffer => line(`c${JSON.stringify([code, reason])}`);

/** `a["{\"event\":…}"]` for each text. */
export const httpEncoding: Encoding = {
  encode: textLine,
  encodeShared: textLine,
  // The client itself answers this ping; while it polls, it does not answer an `h`.
  ping: textLine(ping),
};

function textLine(text: string): Buffer {
  return line(`a[${JSON.stringify(text)}]`);
}

/** ASCII only, so that bytes equal characters, which is what pusher-js counts (§11). */
function line(text: string): Buffer {
  const isAscii = !/[^\0-\x7f]/.test(text);
  return Buffer.from(`${isAscii ? text : text.replace(/[^\0-\x7f]/g, escaped)}\n`, 'latin1');
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
