import { type Job, MemoryJobStore } from 'rookery/jobs';
import { Unavailable } from '#common';
import type { Item, RpcLink } from '../../apps/server/src/workers/rpc-link.js';
import { SharedPorts } from '../../apps/server/src/workers/shared-ports.js';
import { app } from './cluster-options.js';
import { jobsService, jobWatchers, servedJobs } from './jobs.js';
import { Lag, StoreEnd } from './lag.js';
import type { StoreLie } from './lies.js';
import { Party } from '../../libs/testing/src/simulation/party.js';
import { eventsIn } from './receiver.js';
import type { Record } from './record.js';
import { StoreState } from './store-state.js';
import type { World } from '../../libs/testing/src/simulation/world.js';

/** A webhook in the queue. */
export interface StoredWebhook {
  readonly body: string;
  readonly at: number;
}

/** What all nodes share: the ports in memory, which may fail over to an earlier copy, and the queue of webhooks. */
export class Store {
  readonly party = new Party('store');
  private ports: SharedPorts;
  private readonly queue = new MemoryJobStore();
  private readonly links = new Set<RpcLink>();
  /** All webhooks, in the order in which they were stored. */
  readonly webhooks: StoredWebhook[] = [];
  private readonly stored = new Set<string>();
  state: StoreState;
  private refusesUntil = 0;
  private readonly lag = new Lag();

  constructor(
    private readonly world: World,
    record: Record,
  ) {
    this.state = StoreState.first(world, record);
    this.ports = new SharedPorts(this.state);
  }

  /** For so long, it keeps only a part of writes of many rows. */
  tear(ms: number): void {
    const until = this.world.now + ms;
    this.lag.isTorn = () => this.world.now < until;
  }

  /** How many of so many webhooks it takes now. */
  takes(count: number): number {
    if (this.isRefusing) return 0;
    return this.lag.isTorn() && count > 1 ? Math.floor(count / 2) : count;
  }

  /** For so long, it answers some reads from the state that it has now. */
  lagBehind({ kind, forMs }: StoreLie): void {
    const { lag, world } = this;
    lag.begin(kind, this.state);
    world.after(forMs, () => lag.end(kind), world.outside);
  }

  /** For so long, its queue takes no webhooks. */
  refuse(ms: number): void {
    this.refusesUntil = Math.max(this.refusesUntil, this.world.now + ms);
  }

  get isRefusing(): boolean {
    return this.world.now < this.refusesUntil;
  }

  /** Another state takes the place of this one, when no node is connected. */
  become(next: StoreState): void {
    this.lag.endAll();
    next.outlive(this.state);
    this.state = next;
    this.ports = new SharedPorts(next);
  }

  /** @returns its end of a node's link */
  join(send: (items: readonly Item[]) => void): RpcLink {
    const sent = (items: readonly Item[]): void => send(JSON.parse(JSON.stringify(items)) as readonly Item[]);
    const link = new StoreEnd(this.lag, sent, { answerMs: 5000 });
    this.ports.join(link);
    link.serve(
      jobsService,
      servedJobs(this.queue, (jobs) => this.store(jobs, link)),
    );
    this.links.add(link);
    return link;
  }

  leave(link: RpcLink): void {
    link.close();
    this.links.delete(link);
    this.ports.leave(link);
  }

  /** The bodies of the webhooks that nodes have given up. */
  async givenUp(): Promise<ReadonlySet<string>> {
    const dead = await this.queue.dead(app.id, '', Infinity);
    return new Set(dead.map(({ job }) => (job.data as { readonly body: string }).body));
  }

  private store(jobs: readonly Job[], by: RpcLink): void {
    if (this.isRefusing) throw new Unavailable('The queue');
    for (const { data, id } of jobs) {
      const { body } = data as { readonly body: string };
      // A node stores it again if the answer was lost.
      if (this.stored.has(id)) continue;
      this.stored.add(id);
      this.webhooks.push({ body, at: this.world.now });
      for (const { name, channel, user_id: user } of eventsIn([body]))
        this.world.note(`stores ${name} ${channel} ${user ?? ''}`);
    }
    for (const link of this.links) if (link !== by) link.notify(jobWatchers, 'wake');
  }
}
