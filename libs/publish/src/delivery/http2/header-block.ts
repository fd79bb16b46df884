import { frameFlag, frameType, ProtocolFault, unpadded, type Frame } from './frames.js';

/** Of one answer's headers no more is taken. */
const mostBytes = 65_536;

export interface HeaderBlock {
  readonly streamId: number;
  readonly endStream: boolean;
  readonly bytes: Buffer;
}

/** Puts header blocks together from HEADERS and CONTINUATION, between which nothing else may come (RFC 9113 §6.10). */
export class HeaderBlocks {
  private open?: { readonly streamId: number; readonly endStream: boolean; readonly parts: Buffer[] };

  /** Whether nothing but the rest of a block may come. */
  get isOpen(): boolean {
    return this.open !== undefined;
  }

  /** Takes a HEADERS or CONTINUATION frame. Answers the block when that was its last. */
  take(frame: Frame): HeaderBlock | undefined {
    const { type, flags, streamId } = frame;
    const isEnd = (flags & frameFlag.endHeaders) !== 0;
    if (type === frameType.headers) {
      const endStream = (flags & frameFlag.endStream) !== 0;
      if (isEnd) return { streamId, endStream, bytes: unpadded(frame) };
      // The payload is only valid until the next frame.
      this.open = { streamId, endStream, parts: [Buffer.from(unpadded(frame))] };
      return undefined;
    }
    return this.continued(frame, isEnd);
  }

  private continued({ streamId, payload }: Frame, isEnd: boolean): HeaderBlock | undefined {
    const { open } = this;
    if (open?.streamId !== streamId) throw new ProtocolFault('A CONTINUATION continues nothing');
    open.parts.push(Buffer.from(payload));
    const bytes = Buffer.concat(open.parts);
    if (bytes.length > mostBytes) throw new ProtocolFault('The headers of an answer are too large');
    if (!isEnd) return undefined;
    this.open = undefined;
    return { streamId, endStream: open.endStream, bytes };
  }
}
