/** A message that arrives in fragments. */
export class FragmentedBytes {
  /** In bytes. */
  length = 0;
  private room = Buffer.alloc(0);

  /** @returns whether the bytes so far can begin a message */
  add(fragment: Buffer): boolean {
    this.makeRoom(fragment.length);
    fragment.copy(this.room, this.length);
    this.length += fragment.length;
    return true;
  }

  /** The bytes so far. */
  get bytes(): Buffer {
    return this.room.subarray(0, this.length);
  }

  // Doubled when full: a message in very many fragments must not be copied with each.
  private makeRoom(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.room.length) return;
    const room = Buffer.allocUnsafe(Math.max(needed, 2 * this.room.length));
    this.room.copy(room, 0, 0, this.length);
    this.room = room;
  }
}
