const firstCapacity = 16_384;

/** Bytes that are put together: what is due on a connection goes out in one write. */
export class Bytes {
  length = 0;
  private buffer: Buffer = Buffer.allocUnsafeSlow(firstCapacity);
  private spare?: Buffer;

  byte(value: number): void {
    this.ensure(1);
    this.buffer[this.length++] = value;
  }

  uint16(value: number): void {
    this.ensure(2);
    this.length = this.buffer.writeUInt16BE(value, this.length);
  }

  uint32(value: number): void {
    this.ensure(4);
    this.length = this.buffer.writeUInt32BE(value, this.length);
  }

  /** One byte for each character. */
  latin1(text: string): void {
    this.ensure(text.length);
    this.length += this.buffer.write(text, this.length, 'latin1');
  }

  copy(bytes: Uint8Array, start = 0, end = bytes.length): void {
    this.ensure(end - start);
    // Short copies are cheaper without a view of the part.
    const part = start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
    this.buffer.set(part, this.length);
    this.length += end - start;
  }

  /** Writes a number of 24 bits over what is there. */
  setUint24(value: number, at: number): void {
    this.buffer.writeUIntBE(value, at, 3);
  }

  /** Takes everything from `start` on back out. */
  cut(start: number): Buffer {
    const cut = Buffer.from(this.buffer.subarray(start, this.length));
    this.length = start;
    return cut;
  }

  /** Hands all bytes over and begins anew. `giveBack` the buffer when it has been written. */
  take(): Buffer {
    const taken = this.buffer.subarray(0, this.length);
    this.buffer = this.spare ?? Buffer.allocUnsafeSlow(firstCapacity);
    this.spare = undefined;
    this.length = 0;
    return taken;
  }

  giveBack(taken: Buffer): void {
    this.spare = Buffer.from(taken.buffer);
  }

  private ensure(room: number): void {
    const needed = this.length + room;
    if (needed <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.buffer.length * 2));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}
