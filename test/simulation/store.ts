import { MemoryJobStore } from 'rookery/jobs';
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
  private readonly jobs: object;
  /** The bodies of all webhooks, in the order in which they were stored. */
  readonly webhooks: string[] = [];

  constructor(world: World, record: Record) {
    this.ports = new SharedPorts({ broker: new RecordedBroker(world, record) });
    this.jobs = servedJobs(new MemoryJobStore(), (body) => {
      this.webhooks.push(body);
      for (const { name, channel, user_id: user } of eventsIn([body]))
        world.note(`stores ${name} ${channel} ${user ?? ''}`);
    });
  }

  /** @returns its end of a node's link */
  join(send: (items: readonly Item[]) => void): RpcLink {
    const link = new RpcLink((items) => send(JSON.parse(JSON.stringify(items)) as readonly Item[]), { answerMs: 5000 });
    this.ports.join(link);
    link.serve('jobs', this.jobs);
    return link;
  }

  leave(link: RpcLink): void {
    link.close();
    this.ports.leave(link);
  }
}
