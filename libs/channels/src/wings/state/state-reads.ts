import type { Position } from '../../broker/broker.js';

/** A state as it is sent to all who share a read. */
export interface Snapshot {
  readonly texts: readonly string[];
  /** Events up to here arrived in this process before the read: they are in the state. */
  readonly arrived: Position;
}

/** Reads a state. */
export type ReadState = () => Promise<readonly string[]>;

interface Progress {
  hasBegun: boolean;
  hasEnded: boolean;
  /** Whether it may lack a change whose event a new subscriber would not receive. */
  isOutdated: boolean;
}

interface Read extends Progress {
  readonly snapshot: Promise<Snapshot>;
}

/**
 * The state of one channel that has subscribers in this process, read once for all who come together. A subscriber's
 * messages are held before it asks. It may share a read that has not begun, or one since whose beginning no event has
 * arrived here: what was published since then, and what is published later, is still to arrive, and is held for it.
 * Otherwise it shares the next read, which begins when the one under way has ended.
 */
export class StateReads {
  private arrived: Position = '';
  private latest: Read | undefined;

  /**
   * @param shareMs how long after its beginning a read may be shared
   * @param inTurn runs a read when it is the client's turn; what it throws, all who share the read get
   */
  constructor(
    private readonly shareMs: number,
    private readonly inTurn: (client: string, read: () => Promise<Snapshot>) => Promise<Snapshot>,
  ) {}

  /** @returns a state with all changes, except those whose events arrive here after the call */
  snapshot(client: string, read: ReadState): Promise<Snapshot> {
    const { latest } = this;
    return latest && !latest.isOutdated ? latest.snapshot : this.next(client, read, latest?.snapshot);
  }

  /** An event of the channel has arrived. */
  passed(position: Position): void {
    // One outside of the channel's order is after all others.
    if (position < '~') this.arrived = position;
    this.mayLack();
  }

  /** Events may have been lost. The broker's order may begin again. */
  lost(): void {
    this.arrived = '';
    this.mayLack();
  }

  private mayLack(): void {
    if (this.latest?.hasBegun) this.outdate(this.latest);
  }

  private next(client: string, read: ReadState, before: Promise<unknown> = Promise.resolve()): Promise<Snapshot> {
    const progress: Progress = { hasBegun: false, hasEnded: false, isOutdated: false };
    const begin = (): Promise<Snapshot> => this.inTurn(client, () => this.begin(read, progress));
    const snapshot = before.then(begin, begin);
    this.latest = Object.assign(progress, { snapshot });
    const ended = (isOutdated: boolean): void => {
      progress.hasEnded = true;
      if (isOutdated) this.outdate(progress);
    };
    snapshot.then(
      () => ended(progress.isOutdated),
      () => ended(true),
    );
    return snapshot;
  }

  private async begin(read: ReadState, progress: Progress): Promise<Snapshot> {
    const { arrived } = this;
    progress.hasBegun = true;
    setTimeout(() => this.outdate(progress), this.shareMs).unref();
    return { arrived, texts: await read() };
  }

  private outdate(progress: Progress): void {
    progress.isOutdated = true;
    // The next waits for one that is under way.
    if (this.latest === progress && progress.hasEnded) this.latest = undefined;
  }
}
