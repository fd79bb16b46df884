// RFC 6455 §5.2: a server's frames are unfragmented here, and never masked.
const finalText = 0x81;
/** With RSV1: compressed (RFC 7692 §6). */
const finalDeflatedText = 0xc1;
const finalClose = 0x88;
const finalPing = 0x89;
const finalPong = 0x8a;

/** An unfragmented text frame, built once for all connections that it is written to. */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const frame = header(finalText, length);
  frame.write(text, frame.length - length);
  return frame;
}

/** The same of a compressed text. */
export function deflatedFrame(deflated: Buffer): Buffer {
  const frame = header(finalDeflatedText, deflated.length);
  deflated.copy(frame, frame.length - deflated.length);
  return frame;
}

/** A close frame; the reason is cut so that the payload fits into the 125 bytes of a control frame. */
export function closeFrame(code: number, reason: string): Buffer {
  const text = cut(reason, 123);
  const frame = header(finalClose, 2 + text.length);
  frame.writeUInt16BE(code, 2);
  text.copy(frame, 4);
  return frame;
}

export const pingFrame = header(finalPing, 0);

/** A ping whose answer echoes a number of 32 bits. */
export function echoFrame(number: number): Buffer {
  const frame = header(finalPing, 4);
  frame.writeUInt32BE(number, 2);
  return frame;
}

/** @param payload at most 125 bytes, taken from the ping that it answers */
export function pongFrame(payload: Buffer): Buffer {
  const frame = header(finalPong, payload.length);
  payload.copy(frame, 2);
  return frame;
}

function header(opcode: number, length: number): Buffer {
  if (length < 126) {
    const frame = Buffer.allocUnsafe(2 + length);
    frame[0] = opcode;
    frame[1] = length;
    return frame;
  }
  if (length < 65_536) {
    const frame = Buffer.allocUnsafe(4 + length);
    frame[0] = opcode;
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
    return frame;
  }
  const frame = Buffer.allocUnsafe(10 + length);
  frame[0] = opcode;
  frame[1] = 127;
  frame.writeBigUInt64BE(BigInt(length), 2);
  return frame;
}

// Cutting in the middle of a character would make the reason invalid UTF-8.
function cut(text: string, bytes: number): Buffer {
  const whole = Buffer.from(text);
  if (whole.length <= bytes) return whole;
  let end = bytes;
  while (end > 0 && ((whole[end] ?? 0) & 0xc0) === 0x80) end--;
  return whole.subarray(0, end);
}
