import { Bytes } from './bytes.js';
import { HeaderEncoder, type SharedHeaders } from './hpack/encoder.js';
import { frameFlag, frameHeaderBytes, frameType, initialMaxFrameSize } from './frames.js';

/** Puts the frames of one connection together, and hands them to `write` once in a turn of the event loop. */
export class FrameWriter {
  readonly headers: HeaderEncoder;
  private readonly out = new Bytes();
  private scheduled = false;

  constructor(
    private readonly write: (bytes: Buffer, written: () => void) => void,
    /** Called after each write. */
    private readonly onFlushed: () => void,
  ) {
    this.headers = new HeaderEncoder(this.out);
  }

  begin(preface: string): void {
    this.out.latin1(preface);
    this.schedule();
  }

  settings(values: readonly (readonly [number, number])[]): void {
    this.header(values.length * 6, frameType.settings, 0, 0);
    for (const [identifier, value] of values) {
      this.out.uint16(identifier);
      this.out.uint32(value);
    }
  }

  acknowledgeSettings(): void {
    this.header(0, frameType.settings, frameFlag.ack, 0);
  }

  /** The headers of a request, in several frames if they are long. */
  request(streamId: number, headers: SharedHeaders, path: string | undefined, endStream: boolean): void {
    const start = this.out.length;
    this.header(0, frameType.headers, frameFlag.endHeaders | (endStream ? frameFlag.endStream : 0), streamId);
    this.headers.write(headers, path);
    const length = this.out.length - start - frameHeaderBytes;
    if (length <= initialMaxFrameSize) this.out.setUint24(length, start);
    else this.longHeaders(this.out.cut(start).subarray(frameHeaderBytes), streamId, endStream);
  }

  data(streamId: number, body: Uint8Array, start: number, end: number): void {
    this.header(end - start, frameType.data, end === body.length ? frameFlag.endStream : 0, streamId);
    this.out.copy(body, start, end);
  }

  ping(payload: Uint8Array, ack: boolean): void {
    this.header(payload.length, frameType.ping, ack ? frameFlag.ack : 0, 0);
    this.out.copy(payload);
  }

  reset(streamId: number, code: number): void {
    this.header(4, frameType.rstStream, 0, streamId);
    this.out.uint32(code);
  }

  windowUpdate(bytes: number): void {
    this.header(4, frameType.windowUpdate, 0, 0);
    this.out.uint32(bytes);
  }

  goaway(code: number): void {
    this.header(8, frameType.goaway, 0, 0);
    this.out.uint32(0);
    this.out.uint32(code);
  }

  /** Writes now what has come together. */
  flush(): void {
    this.scheduled = false;
    if (this.out.length === 0) return;
    const bytes = this.out.take();
    this.write(bytes, () => this.out.giveBack(bytes));
    this.onFlushed();
  }

  private longHeaders(block: Buffer, streamId: number, endStream: boolean): void {
    for (let start = 0; start < block.length; start += initialMaxFrameSize) {
      const end = Math.min(start + initialMaxFrameSize, block.length);
      const type = start === 0 ? frameType.headers : frameType.continuation;
      const ending = end === block.length ? frameFlag.endHeaders : 0;
      this.header(end - start, type, ending | (start === 0 && endStream ? frameFlag.endStream : 0), streamId);
      this.out.copy(block, start, end);
    }
  }

  private header(length: number, type: number, flags: number, streamId: number): void {
    this.out.byte(length >> 16);
    this.out.uint16(length & 0xffff);
    this.out.byte(type);
    this.out.byte(flags);
    this.out.uint32(streamId);
    this.schedule();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => this.flush());
  }
}
