import { frameHeaderBytes, initialMaxFrameSize, ProtocolFault, type Frame } from './frames.js';

/** Takes apart what comes in on a connection. */
export class FrameReader {
  private rest?: Buffer;

  /** Hands over each frame that is complete by now, in order. Throws what `take` does, and ProtocolFault. */
  read(chunk: Buffer, take: (frame: Frame) => void): void {
    const bytes = this.rest ? Buffer.concat([this.rest, chunk]) : chunk;
    let at = 0;
    while (bytes.length - at >= frameHeaderBytes) {
      const end = at + frameHeaderBytes + lengthAt(bytes, at);
      if (end > bytes.length) break;
      const streamId = bytes.readUInt32BE(at + 5) & 0x7fff_ffff;
      const payload = bytes.subarray(at + frameHeaderBytes, end);
      take({ type: bytes[at + 3]!, flags: bytes[at + 4]!, streamId, payload });
      at = end;
    }
    this.rest = at < bytes.length ? bytes.subarray(at) : undefined;
  }
}

function lengthAt(bytes: Buffer, at: number): number {
  const length = bytes.readUIntBE(at, 3);
  if (length > initialMaxFrameSize) throw new ProtocolFault('A frame is larger than we allow');
  return length;
}
