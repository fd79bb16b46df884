import { Heap } from './heap.js';
import { type Job, weightOf } from './job.js';
import type { JobClaim } from './job.store.js';

/** A waiting job; `order` is the order of `add`, which decides between jobs that are equally due. */
export interface QueuedJob {
  readonly job: Job;
  readonly order: number;
}

interface Queue {
  readonly key: string;
  readonly waiting: Heap<QueuedJob>;
  bytes: number;
}

/** Jobs in memory, with one queue per key, so that a long queue does not delay other keys. */
export class KeyQueues {
  private readonly queues = new Map<string, Queue>();
  private total = 0;

  /** The total size of all waiting jobs. */
  get bytes(): number {
    return this.total;
  }

  push(waiting: QueuedJob): void {
    const { key } = waiting.job;
    const queue = this.queues.get(key) ?? { key, waiting: new Heap<QueuedJob>(isEarlier), bytes: 0 };
    this.queues.set(key, queue);
    queue.waiting.push(waiting);
    queue.bytes += weightOf(waiting.job);
    this.total += weightOf(waiting.job);
  }

  /** Takes as many jobs as the claim allows, earliest due first. */
  takeDue({ now, limit, perKey, busy }: Omit<JobClaim, 'leaseMs'>): QueuedJob[] {
    const due = new Heap<{ queue: Queue; taken: number }>((left, right) =>
      isEarlier(first(left.queue), first(right.queue)),
    );
    for (const queue of this.queues.values())
      if (!busy.has(queue.key) && isDue(queue, now)) due.push({ queue, taken: 0 });
    const found: QueuedJob[] = [];
    while (found.length < limit) {
      const next = due.pop();
      if (!next) break;
      found.push(this.takeFirst(next.queue));
      next.taken += 1;
      if (next.taken < perKey && isDue(next.queue, now)) due.push(next);
    }
    return found;
  }

  /** The number of keys that have a job due. */
  dueKeys(now: number): number {
    return [...this.queues.values()].filter((queue) => isDue(queue, now)).length;
  }

  /** Takes all jobs of a key. */
  takeAll(key: string): readonly QueuedJob[] {
    const queue = this.queues.get(key);
    return queue ? Array.from({ length: queue.waiting.size }, () => this.takeFirst(queue)) : [];
  }

  /** The jobs of a key, in no particular order. */
  of(key: string): readonly Job[] {
    return this.queues.get(key)?.waiting.all.map(({ job }) => job) ?? [];
  }

  /** Takes the earliest job of the longest queue. Call it only if a job waits. */
  takeFromLongest(): Job {
    const longest = [...this.queues.values()].reduce((longest, queue) =>
      queue.bytes > longest.bytes ? queue : longest,
    );
    return this.takeFirst(longest).job;
  }

  /** Takes the earliest jobs of the fullest queue: at most `most`, and at most half of them. */
  takeFromFullest(most: number): readonly Job[] {
    const fullest = [...this.queues.values()].reduce<Queue | undefined>(
      (found, queue) => (found && found.waiting.size >= queue.waiting.size ? found : queue),
      undefined,
    );
    if (!fullest) return [];
    const count = Math.min(most, Math.ceil(fullest.waiting.size / 2));
    return Array.from({ length: count }, () => this.takeFirst(fullest).job);
  }

  /** When the earliest job is due. */
  earliestDueAt(): number | undefined {
    const times = [...this.queues.values()].map((queue) => first(queue).job.dueAt);
    return times.length === 0 ? undefined : times.reduce((one, other) => Math.min(one, other));
  }

  /** Deletes a queue with its last job. */
  private takeFirst(queue: Queue): QueuedJob {
    const waiting = first(queue);
    queue.waiting.pop();
    if (queue.waiting.size === 0) this.queues.delete(queue.key);
    queue.bytes -= weightOf(waiting.job);
    this.total -= weightOf(waiting.job);
    return waiting;
  }
}

/** A queue in the map is never empty, so it has a first job. */
function first(queue: Queue): QueuedJob {
  return queue.waiting.peek() as QueuedJob;
}

function isDue(queue: Queue, now: number): boolean {
  const next = queue.waiting.peek();
  return next !== undefined && next.job.dueAt <= now;
}

function isEarlier(left: QueuedJob, right: QueuedJob): boolean {
  const [leftAt, rightAt] = [left.job.dueAt, right.job.dueAt];
  return leftAt < rightAt || (leftAt === rightAt && left.order < right.order);
}
