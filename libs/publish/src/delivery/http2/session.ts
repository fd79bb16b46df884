import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { FrameReader } from './frame-reader.js';
import { FrameWriter } from './frame-writer.js';
import {
  errorCode,
  frameFlag,
  frameType,
  initialWindowSize,
  preface,
  ProtocolFault,
  setting,
  unpadded,
  type Frame,
} from './frames.js';
import { HeaderBlocks, type HeaderBlock } from './header-block.js';
import { HeaderDecoder } from './hpack/decoder.js';
import type { Field } from './hpack/static-table.js';
import { onceOpen, openSocket } from './socket.js';

/** What comes of a session. Streams are named by their ids; some may have been forgotten here. */
export interface SessionEvents {
  /** The peer's SETTINGS, the first of which say that it is there. */
  settings(values: ReadonlyMap<number, number>): void;
  headers(streamId: number, fields: readonly Field[], endStream: boolean): void;
  data(streamId: number, bytes: Buffer, endStream: boolean): void;
  reset(streamId: number, code: number): void;
  goaway(lastStreamId: number): void;
  /** Of a stream, or with id 0 of the connection. */
  window(streamId: number, bytes: number): void;
  /** What was written has been handed to the system. */
  flushed(): void;
  /** It is over; `fault`: why, if something went wrong. */
  closed(fault?: string): void;
}

/** The fault of a peer that does not speak HTTP/2. */
export const noHttp2 = 'NoHttp2';

/** How much the peer may send before it hears from us: answers are small and read at once. */
const receiveWindow = 2 ** 20;
const pingPayload = Buffer.alloc(8);

/** Speaks HTTP/2 as a client that is pushed nothing (RFC 9113): frames in and out, and what they say by itself. */
export class Http2Session {
  readonly writer: FrameWriter;
  private readonly socket: Socket;
  private readonly reader = new FrameReader();
  private readonly blocks = new HeaderBlocks();
  private readonly decoder = new HeaderDecoder();
  private readBytes = 0;
  private pingPending = false;
  private fault?: string;

  constructor(
    endpoint: URL,
    secureContext: SecureContext | undefined,
    private readonly events: SessionEvents,
  ) {
    this.socket = openSocket(endpoint, secureContext);
    this.writer = new FrameWriter(
      (bytes, written) => this.socket.write(bytes, written),
      () => events.flushed(),
    );
    onceOpen(this.socket, (speaksHttp2) => this.begin(speaksHttp2));
    this.socket.on('data', (chunk: Buffer) => this.read(chunk));
    this.socket.on('error', (error: NodeJS.ErrnoException) => (this.fault ??= error.code ?? error.message));
    this.socket.on('close', () => events.closed(this.fault));
  }

  get isOpen(): boolean {
    return this.socket.writable;
  }

  /** Answers false when the last ping has not been answered yet. */
  ping(): boolean {
    if (this.pingPending) return false;
    this.pingPending = true;
    this.writer.ping(pingPayload, false);
    return true;
  }

  /** Ends in good order: what was written goes out. */
  end(code: number = errorCode.noError): void {
    this.writer.goaway(code);
    this.writer.flush();
    this.socket.destroySoon();
  }

  /** Ends at once. */
  destroy(): void {
    this.socket.destroy();
  }

  private begin(speaksHttp2: boolean): void {
    if (!speaksHttp2) {
      this.fault = noHttp2;
      return this.destroy();
    }
    this.writer.begin(preface);
    this.writer.settings([[setting.enablePush, 0]]);
    this.writer.windowUpdate(receiveWindow - initialWindowSize);
  }

  private read(chunk: Buffer): void {
    if (!this.isOpen) return;
    try {
      this.reader.read(chunk, (frame) => this.take(frame));
    } catch (error) {
      // Whatever it is, the bytes that follow cannot be understood.
      this.fault ??= error instanceof Error ? error.message : String(error);
      this.end(errorCode.protocolError);
    }
  }

  private take(frame: Frame): void {
    const { type, streamId, payload } = frame;
    if (this.blocks.isOpen && type !== frameType.continuation) throw new ProtocolFault('The headers are not finished');
    switch (type) {
      case frameType.headers:
      case frameType.continuation:
        return this.takeHeaders(this.blocks.take(frame));
      case frameType.data:
        return this.takeData(frame);
      case frameType.rstStream:
        return this.events.reset(streamId, uint32(payload, 0));
      case frameType.settings:
        return this.takeSettings(frame);
      case frameType.ping:
        return this.takePing(frame);
      case frameType.goaway:
        return this.events.goaway(uint32(payload, 0) & 0x7fff_ffff);
      case frameType.windowUpdate:
        return this.events.window(streamId, uint32(payload, 0) & 0x7fff_ffff);
      case frameType.pushPromise:
        throw new ProtocolFault('A push was not allowed');
      default:
      // Unknown frames, and priorities, are of no consequence (RFC 9113 §5.5).
    }
  }

  private takeHeaders(block: HeaderBlock | undefined): void {
    if (block) this.events.headers(block.streamId, this.decoder.decode(block.bytes), block.endStream);
  }

  private takeData(frame: Frame): void {
    this.readBytes += frame.payload.length;
    if (this.readBytes >= receiveWindow / 2) {
      this.writer.windowUpdate(this.readBytes);
      this.readBytes = 0;
    }
    this.events.data(frame.streamId, unpadded(frame), (frame.flags & frameFlag.endStream) !== 0);
  }

  private takeSettings({ flags, payload }: Frame): void {
    if (flags & frameFlag.ack) return;
    const values = new Map<number, number>();
    for (let at = 0; at + 6 <= payload.length; at += 6) values.set(payload.readUInt16BE(at), uint32(payload, at + 2));
    const tableSize = values.get(setting.headerTableSize);
    this.writer.acknowledgeSettings();
    if (tableSize !== undefined) this.writer.headers.allow(tableSize);
    this.events.settings(values);
  }

  private takePing({ flags, payload }: Frame): void {
    if (flags & frameFlag.ack) this.pingPending = false;
    else this.writer.ping(payload, true);
  }
}

function uint32(payload: Buffer, at: number): number {
  if (payload.length < at + 4) throw new ProtocolFault('A frame is too short');
  return payload.readUInt32BE(at);
}
