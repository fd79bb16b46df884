// The least of RFC 6455 that a load client needs: it must cost less than the server that it measures.

const mask = Buffer.from([1, 2, 3, 4]);

/** A client's text frame; all of them share one mask, which a server cannot know. */
export function maskedText(text) {
  const payload = Buffer.from(text);
  const short = payload.length < 126;
  const frame = Buffer.allocUnsafe((short ? 6 : 8) + payload.length);
  frame[0] = 0x81;
  frame[1] = 0x80 | (short ? payload.length : 126);
  if (!short) frame.writeUInt16BE(payload.length, 2);
  const at = short ? 6 : 8;
  mask.copy(frame, at - 4);
  for (let i = 0; i < payload.length; i++) frame[at + i] = payload[i] ^ mask[i & 3];
  return frame;
}

/**
 * Calls `onFrame(bytes, start, end, opcode)` for each whole frame in `bytes`.
 * @returns where the first frame begins that is not complete
 */
export function scan(bytes, length, onFrame) {
  let at = 0;
  while (at + 2 <= length) {
    let size = bytes[at + 1] & 0x7f;
    let start = at + 2;
    if (size === 126) {
      if (at + 4 > length) return at;
      size = bytes.readUInt16BE(at + 2);
      start = at + 4;
    } else if (size === 127) {
      if (at + 10 > length) return at;
      size = Number(bytes.readBigUInt64BE(at + 2));
      start = at + 10;
    }
    if (start + size > length) return at;
    onFrame(bytes, start, start + size, bytes[at] & 0x0f);
    at = start + size;
  }
  return at;
}
