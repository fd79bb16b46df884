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
  return /[^\0-\x7f]/.test(text) ? escapedLine(text) : Buffer.from(`${text}\n`, 'latin1');
}

/** By hand: a replacement for each character takes ten times as long. */
function escapedLine(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(6 * text.length + 1);
  let size = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f) {
      bytes[size++] = 0x5c;
      bytes[size++] = 0x75;
      for (let shift = 12; shift >= 0; shift -= 4) bytes[size++] = hex.charCodeAt((unit >> shift) & 15);
    } else bytes[size++] = unit;
  }
  bytes[size++] = 0x0a;
  return Buffer.from(bytes.subarray(0, size));
}

const hex = '0123456789abcdef';
