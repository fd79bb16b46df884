/** The kinds of frames that are told apart (RFC 9113 §6). */
export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const frameFlag = { ack: 1, endStream: 1, endHeaders: 4, padded: 8, priority: 32 } as const;

export const errorCode = { noError: 0, protocolError: 1, frameSizeError: 6, refusedStream: 7, cancel: 8 } as const;

export const setting = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
} as const;

export const frameHeaderBytes = 9;
/** What either side may send in a frame before SETTINGS allow more; ours never do. */
export const initialMaxFrameSize = 16_384;
/** Of a stream and of a connection, before SETTINGS and WINDOW_UPDATE. */
export const initialWindowSize = 65_535;
export const lastPossibleStreamId = 2 ** 31 - 1;
/** What a client says first of all. */
export const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';

/** The peer breaks RFC 9113, or what it sends cannot be read: the connection is of no use any more. */
export class ProtocolFault extends Error {}

/** One frame; the payload is valid until the next is read. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly streamId: number;
  readonly payload: Buffer;
}

/** DATA or HEADERS without what fills it up, and without the priority that nobody uses any more (RFC 9113 §6.1, §6.2). */
export function unpadded({ type, flags, payload }: Frame): Buffer {
  const padding = flags & frameFlag.padded ? (payload[0] ?? Infinity) : 0;
  const start = (flags & frameFlag.padded ? 1 : 0) + (type === frameType.headers && flags & frameFlag.priority ? 5 : 0);
  if (start + padding > payload.length) throw new ProtocolFault('A frame is all padding');
  return start + padding === 0 ? payload : payload.subarray(start, payload.length - padding);
}
