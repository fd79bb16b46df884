import { Heap } from '../heap.js';
import { type WebhookDelivery, weightOf } from './webhook-delivery.js';
import type { WebhookClaim } from './webhook.outbox.js';

/** A delivery that waits; `order` is the order of `add`, which decides between two that are equally due. */
export interface Waiting {
  readonly delivery: WebhookDelivery;
  readonly order: number;
}

interface Queue {
  readonly endpoint: string;
  readonly waiting: Heap<Waiting>;
  bytes: number;
}

/** Deliveries in memory, in one queue per endpoint, so that a long queue is in nobody else's way. */
export class EndpointQueues {
  private readonly queues = new Map<string, Queue>();
  private total = 0;

  /** The bytes of all that wait. */
  get bytes(): number {
    return this.total;
  }

  push(waiting: Waiting): void {
    const { endpoint } = waiting.delivery;
    const queue = this.queues.get(endpoint) ?? { endpoint, waiting: new Heap<Waiting>(isEarlier), bytes: 0 };
    this.queues.set(endpoint, queue);
    queue.waiting.push(waiting);
    queue.bytes += weightOf(waiting.delivery);
    this.total += weightOf(waiting.delivery);
  }

  /** Takes what the claim has room for, the earliest due first. */
  takeDue({ now, limit, perEndpoint, busy }: Omit<WebhookClaim, 'leaseMs'>): Waiting[] {
    const due = new Heap<{ queue: Queue; taken: number }>((left, right) =>
      isEarlier(first(left.queue), first(right.queue)),
    );
    for (const queue of this.queues.values())
      if (!busy.has(queue.endpoint) && isDue(queue, now)) due.push({ queue, taken: 0 });
    const found: Waiting[] = [];
    while (found.length < limit) {
      const next = due.pop();
      if (!next) break;
      found.push(this.takeFirst(next.queue));
      next.taken += 1;
      if (next.taken < perEndpoint && isDue(next.queue, now)) due.push(next);
    }
    return found;
  }

  /** Takes the earliest of the longest queue. Called only while something waits. */
  takeFromLongest(): WebhookDelivery {
    const longest = [...this.queues.values()].reduce((longest, queue) =>
      queue.bytes > longest.bytes ? queue : longest,
    );
    return this.takeFirst(longest).delivery;
  }

  /** Takes the earliest of the queue that has the most, `most` and half of them at most. */
  takeFromFullest(most: number): readonly WebhookDelivery[] {
    const fullest = [...this.queues.values()].reduce<Queue | undefined>(
      (found, queue) => (found && found.waiting.size >= queue.waiting.size ? found : queue),
      undefined,
    );
    if (!fullest || most <= 0) return [];
    const count = Math.min(most, Math.ceil(fullest.waiting.size / 2));
    return Array.from({ length: count }, () => this.takeFirst(fullest).delivery);
  }

  /** When the first of all is due. */
  earliestDueAt(): number | undefined {
    const times = [...this.queues.values()].map((queue) => first(queue).delivery.dueAt);
    return times.length === 0 ? undefined : times.reduce((one, other) => Math.min(one, other));
  }

  /** A queue is forgotten with its last delivery. */
  private takeFirst(queue: Queue): Waiting {
    const waiting = first(queue);
    queue.waiting.pop();
    if (queue.waiting.size === 0) this.queues.delete(queue.endpoint);
    queue.bytes -= weightOf(waiting.delivery);
    this.total -= weightOf(waiting.delivery);
    return waiting;
  }
}

/** A queue in the map is never empty, so it has a first. */
function first(queue: Queue): Waiting {
  return queue.waiting.peek() as Waiting;
}

function isDue(queue: Queue, now: number): boolean {
  const next = queue.waiting.peek();
  return next !== undefined && next.delivery.dueAt <= now;
}

function isEarlier(left: Waiting, right: Waiting): boolean {
  const [leftAt, rightAt] = [left.delivery.dueAt, right.delivery.dueAt];
  return leftAt < rightAt || (leftAt === rightAt && left.order < right.order);
}
