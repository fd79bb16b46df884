import type { SendToAll } from './native-send.js';

/** Whoever let a batch send for it. */
export interface BatchMember {
  /** `result`: how many of the bytes the kernel took, or a negative errno. The rest is the member's to write. */
  sent(bytes: Buffer, result: number): void;
}

/** So many at once cost a fraction of a millisecond: the scheduler's slices stay as they are. */
const size = 64;

/** Sends the same bytes to many sockets by one call into the kernel's door, instead of one for each. */
export class BroadcastBatch {
  private readonly members: BatchMember[] = [];
  private readonly fds = new Int32Array(size);
  private readonly results = new Int32Array(size);
  private bytes: Buffer | undefined;

  constructor(private readonly sendToAll: SendToAll) {}

  add(member: BatchMember, fd: number, bytes: Buffer): void {
    if (bytes !== this.bytes) this.flush();
    this.bytes = bytes;
    this.fds[this.members.length] = fd;
    if (this.members.push(member) === size) this.flush();
  }

  /** Nothing that was added is left afterwards. */
  flush(): void {
    const { bytes, members } = this;
    if (!bytes || members.length === 0) return;
    this.bytes = undefined;
    this.sendToAll(this.fds, members.length, bytes, this.results);
    for (let i = 0; i < members.length; i++) members[i]!.sent(bytes, this.results[i]!);
    members.length = 0;
  }
}
