import { type Job, MemoryJobStore } from 'rookery/jobs';
import { type Item, RpcLink } from '../../apps/server/src/workers/rpc-link.js';
import { SharedPorts } from '../../apps/server/src/workers/shared-ports.js';
import { servedJobs } from './jobs.js';
import { Party } from '../../libs/testing/src/simulation/party.js';
import { eventsIn } from './receiver.js';
import { type Record, RecordedBroker } from './record.js';
import type { World } from '../../libs/testing/src/simulation/world.js';

/** What all nodes share: the ports in memory, and the queue of webhooks. It does not fail. */
export class Store {
  readonly party = new Party('store');
  private readonly ports: SharedPorts;
  private readonly queue = new MemoryJobStore();
  private readonly links = new Set<RpcLink>();
  /** The bodies of all webhooks, in the order in which they were stored. */
  readonly webhooks: string[] = [];

  constructor(
    private readonly world: World,
    record: Record,
  ) {
    this.ports = new SharedPorts({ broker: new RecordedBroker(world, record) });
  }

  /** @returns its end of a node's link */
  join(send: (items: readonly Item[]) => void): RpcLink {
    const link = new RpcLink((items) => send(JSON.parse(JSON.stringify(items)) as readonly Item[]), { answerMs: 5000 });
    this.ports.join(link);
    link.serve(
      'jobs',
      servedJobs(this.queue, (jobs) => this.stored(jobs, link)),
    );
    this.links.add(link);
    return link;
  }

  leave(link: RpcLink): void {
    link.close();
    this.links.delete(link);
    this.ports.leave(link);
  }

  private stored(jobs: readonly Job[], by: RpcLink): void {
    for (const { data } of jobs) {
      const { body } = data as { readonly body: string };
      this.webhooks.push(body);
      for (const { name, channel, user_id: user } of eventsIn([body]))
        this.world.note(`stores ${name} ${channel} ${user ?? ''}`);
    }
    for (const link of this.links) if (link !== by) link.tell('job watchers', 'wake');
  }
}
