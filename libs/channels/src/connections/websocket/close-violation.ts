import { isUtf8 } from 'node:buffer';

/** The violation in the payload of a client's close frame, with the code to answer (RFC 6455 §5.5.1, RFC 6455 §7.4). */
export function closeViolation(payload: Buffer): { code: 1002 | 1007; reason: string } | undefined {
  if (payload.length === 0) return undefined;
  if (payload.length === 1) return { code: 1002, reason: 'The code of a close has two bytes' };
  if (!isCloseCode(payload.readUInt16BE(0))) return { code: 1002, reason: 'Not a code that a close may have' };
  return isUtf8(payload.subarray(2)) ? undefined : { code: 1007, reason: 'The reason of a close is not UTF-8' };
}

/** The registered codes that may be sent, and those reserved for libraries and applications. */
function isCloseCode(code: number): boolean {
  return (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code <= 4999);
}
