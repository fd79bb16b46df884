import type { IncomingHttpHeaders } from 'node:http';
import { constants, deflateRawSync } from 'node:zlib';
import type { Encoding } from '../transport.js';
import { deflatedFrame, textFrame } from './frame-encoder.js';
import { webSocketEncoding } from './websocket.transport.js';

// permessage-deflate (RFC 7692) without context takeover: each message is compressed alone, so its bytes are the same
// for all clients, and no connection keeps a window.

/** Events are short, and zlib clears its memory for each of them. */
const windowBits = 13;
const options = { level: 3, windowBits, memLevel: 6, finishFlush: constants.Z_SYNC_FLUSH };

/** The encoding of connections that have agreed on compression: what many clients get is compressed once, if it is long. */
export const deflatedEncoding = (fromBytes: number): Encoding => ({
  ...webSocketEncoding,
  encodeShared(text) {
    const bytes = Buffer.from(text);
    if (bytes.length < fromBytes) return textFrame(text);
    // Without the four bytes in which each message would end (RFC 7692 §7.2.1).
    const deflated = deflateRawSync(bytes, options).subarray(0, -4);
    return deflated.length < bytes.length ? deflatedFrame(deflated) : textFrame(text);
  },
});

/** More than a client needs: browsers make one offer. */
const [maxOffers, maxParameters] = [8, 8];

const agreed = 'permessage-deflate; server_no_context_takeover; client_no_context_takeover';

/** The `Sec-WebSocket-Extensions` of the answer to a client's offers; undefined if none is acceptable. */
export function acceptDeflate(headers: IncomingHttpHeaders): string | undefined {
  for (const offer of headers['sec-websocket-extensions']?.split(',', maxOffers) ?? []) {
    const [name, ...parameters] = offer.split(';', maxParameters).map((part) => part.trim());
    const window = name === 'permessage-deflate' ? answeredWindow(parameters) : undefined;
    if (window !== undefined) return agreed + window;
  }
  return undefined;
}

const parameter = /^(?:(server|client)_no_context_takeover|(server|client)_max_window_bits(?:="?([89]|1[0-5])"?)?)$/;

/** What an offer's parameters add to the answer; undefined if it is to be declined (RFC 7692 §7.1). */
function answeredWindow(parameters: readonly string[]): string | undefined {
  let answer = '';
  const names = new Set(parameters.map((each) => each.split('=', 1)[0]));
  if (names.size < parameters.length) return undefined;
  for (const each of parameters) {
    const [isKnown, , side, bits] = parameter.exec(each) ?? [];
    if (isKnown === undefined) return undefined;
    if (side !== 'server') continue;
    if (!(Number(bits) >= windowBits)) return undefined;
    answer = `; server_max_window_bits=${windowBits}`;
  }
  return answer;
}
