import {
  type CommittedEvent,
  type OutgoingEvent,
  type RelayClaim,
  type TriggerBacklog,
  TriggerOutbox,
} from 'rookery/channels';
import type { Within } from 'rookery/jobs';

/** What a transaction adds to a {@link MemoryTriggerOutbox}. */
export class MemoryTransaction {
  readonly events: OutgoingEvent[] = [];
  readonly committed: (() => void)[] = [];
}

/** Correct and of few lines: for tests without a database, and for broken ones to break. */
export class MemoryTriggerOutbox extends TriggerOutbox {
  events: CommittedEvent[] = [];
  relay?: { readonly owner: string; readonly until: number };
  private last = 0;

  async add(events: readonly OutgoingEvent[], { transaction, committed }: Within): Promise<void> {
    if (!(transaction instanceof MemoryTransaction))
      throw new Error('within must be the EntityManager of a transaction');
    transaction.events.push(...events);
    transaction.committed.push(committed);
  }
  commit({ events, committed }: MemoryTransaction): void {
    for (const event of events) this.events.push({ ...event, position: (this.last += 1) });
    for (const tell of committed) tell();
  }
  async claim({ owner, now, leaseMs, after, limit }: RelayClaim): Promise<readonly CommittedEvent[]> {
    if (this.relay && this.relay.owner !== owner && this.relay.until > now) return [];
    this.relay = { owner, until: now + leaseMs };
    return this.events.filter(({ position }) => position > after).slice(0, limit);
  }
  async done(owner: string, ids: readonly string[]): Promise<void> {
    if (this.relay?.owner === owner) this.events = this.events.filter(({ id }) => !ids.includes(id));
  }
  async bury(owner: string, id: string, _reason: string, _now: number): Promise<void> {
    await this.done(owner, [id]);
  }
  async release(owner: string): Promise<void> {
    if (this.relay?.owner === owner) this.relay = undefined;
  }
  async backlog(): Promise<TriggerBacklog> {
    const oldestAt = Math.min(...this.events.map(({ createdAt }) => createdAt));
    return { events: this.events.length, ...(this.events.length > 0 && { oldestAt }) };
  }
}
