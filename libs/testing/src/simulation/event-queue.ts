import type { Party } from './party.js';

/** Something that happens at a time, to one party. */
export interface WorldEvent {
  at: number;
  /** Events of the same time happen in the order in which they were added. */
  order: number;
  readonly party: Party;
  /** Where it returns a promise, time stands still until that is settled. */
  readonly run: () => void | Promise<void>;
  isCancelled: boolean;
}

const isBefore = (a: WorldEvent, b: WorldEvent): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** The events to come, the earliest first: a binary heap. */
export class EventQueue {
  private readonly heap: WorldEvent[] = [];

  push(event: WorldEvent): void {
    const { heap } = this;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = event;
  }

  get first(): WorldEvent | undefined {
    return this.heap[0];
  }

  pop(): WorldEvent | undefined {
    const { heap } = this;
    const first = heap[0];
    const last = heap.pop();
    if (!first || !last || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}
