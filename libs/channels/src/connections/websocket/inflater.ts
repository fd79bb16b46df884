import { constants, inflateRawSync } from 'node:zlib';
import { Balance } from '#common';

/** The bytes that a client's compressed messages may add. */
const quota = { most: 2_097_152, perSecond: 1_048_576 };
/** What a message costs, however short it is. */
const messageBytes = 512;
/** What each message would end in, left out by both sides (RFC 7692 §7.2.2). */
const tail = Buffer.from([0x00, 0x00, 0xff, 0xff]);

export interface NotInflated {
  readonly code: 1007 | 1009;
  readonly reason: string;
}

/** Inflates the messages of one client. A few bytes may stand for very many: how many, and how often, is bounded. */
export class Inflater {
  private readonly added = new Balance();

  /** @param maxBytes the longest message */
  constructor(private readonly maxBytes: number) {}

  inflate(payload: Buffer): Buffer | NotInflated {
    let message: Buffer;
    try {
      const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: this.maxBytes };
      message = inflateRawSync(Buffer.concat([payload, tail]), options);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
        ? { code: 1009, reason: 'Message is too big' }
        : { code: 1007, reason: 'Message is not compressed correctly' };
    }
    return this.takes(messageBytes + Math.max(0, message.length - payload.length))
      ? message
      : { code: 1009, reason: 'Compressed messages are too big' };
  }

  private takes(bytes: number): boolean {
    this.added.add(quota, bytes);
    return this.added.above(quota, 0) === 0;
  }
}
