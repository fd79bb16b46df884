import { type Job, MemoryJobStore } from 'rookery/jobs';
import { Unavailable } from '#common';
import { Party } from '../../../libs/testing/src/simulation/party.js';
import type { World } from '../../../libs/testing/src/simulation/world.js';
import type { Backing } from '../backing.js';
import { app } from '../cluster-options.js';
import type { OwedWebhooks } from '../owed-webhooks.js';
import { eventsIn } from '../receiver.js';
import type { StoredWebhook } from '../store.js';

/** The queue of webhooks that the nodes share. It is not in PostgreSQL, so that it shows what PostgreSQL forgets. */
export class Queue implements Pick<Backing['store'], 'webhooks' | 'givenUp' | 'refuse' | 'tear' | 'lagBehind'> {
  readonly party = new Party('queue');
  readonly webhooks: StoredWebhook[] = [];
  private readonly jobs = new MemoryJobStore();
  private readonly stored = new Set<string>();
  private refusesUntil = 0;

  constructor(private readonly world: World) {}

  /** For so long, it takes no webhooks. */
  refuse(ms: number): void {
    this.refusesUntil = Math.max(this.refusesUntil, this.world.now + ms);
  }

  tear(): void {
    throw new Error('A PostgreSQL tears no writes');
  }

  lagBehind(): void {
    throw new Error('A PostgreSQL answers from its latest state');
  }

  async givenUp(): Promise<ReadonlySet<string>> {
    const dead = await this.jobs.dead(app.id, '', Infinity);
    return new Set(dead.map(({ job }) => (job.data as { readonly body: string }).body));
  }

  /** As one node uses it. */
  of(owed: OwedWebhooks): MemoryJobStore {
    const add = (jobs: readonly Job[]): unknown => {
      const isRefusing = this.world.now < this.refusesUntil;
      owed.asked([[0, 'jobs', 'add', [jobs]]], (count) => (isRefusing ? 0 : count));
      if (isRefusing) throw new Unavailable('The queue');
      for (const job of jobs) this.store(job);
      return this.jobs.add(jobs);
    };
    return Object.create(this.jobs, { add: { value: add, configurable: true } }) as MemoryJobStore;
  }

  private store({ id, data }: Job): void {
    const { body } = data as { readonly body: string };
    // A node stores it again if the answer was lost.
    if (this.stored.has(id)) return;
    this.stored.add(id);
    this.webhooks.push({ body, at: this.world.now });
    for (const { name, channel, user_id: user } of eventsIn([body]))
      this.world.note(`stores ${name} ${channel} ${user ?? ''}`);
  }
}
