import type { WorldEvent } from './event-queue.js';

/** A process, a client or the outside: every event happens to one of them. */
export class Party {
  state: 'running' | 'paused' | 'dead' = 'running';
  /** What is due while it is paused. */
  readonly held: WorldEvent[] = [];
  /** By how much its `Date` is ahead of the others, in milliseconds. */
  clockMs = 0;

  constructor(readonly name: string) {}
}
