const none = Buffer.alloc(0);

/**
 * Bytes that arrive in pieces, in one buffer that doubles. A list of pieces would cost hundreds of bytes for each, and
 * a client may send a million pieces of one byte.
 */
export class GrowingBuffer {
  length = 0;
  private room: Buffer = none;

  /** @param most the buffer's largest size; the caller never adds more */
  constructor(private readonly most = Infinity) {}

  /** All bytes added; valid until the next addition. */
  get bytes(): Buffer {
    return this.length === this.room.length ? this.room : this.room.subarray(0, this.length);
  }

  add(piece: Buffer): void {
    const length = this.length + piece.length;
    // Most data comes in one piece, which is not copied.
    if (this.length === 0) this.room = piece;
    else if (length > this.room.length) this.grow(length);
    if (this.length > 0) piece.copy(this.room, this.length);
    this.length = length;
  }

  clear(): void {
    this.length = 0;
    this.room = none;
  }

  private grow(needed: number): void {
    const room = Buffer.allocUnsafe(Math.max(needed, Math.min(2 * needed, this.most)));
    this.room.copy(room, 0, 0, this.length);
    this.room = room;
  }
}
