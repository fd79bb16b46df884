import { DataSource } from 'typeorm';
import { Broker, ChannelRepository } from 'rookery/channels';
import { dataSourceOptions, Membership } from 'rookery/internal/typeorm';
import type { JobStore } from 'rookery/jobs';
import { PresenceRepository } from 'rookery/presence';
import { PostgresClusterModule, TypeOrmStorageModule } from 'rookery/typeorm';
import type { CarriedMessages } from '../../../libs/typeorm/src/cluster/broker/carried-messages.js';
import { ServingNode, type ServingParts } from '../node.js';
import { StoreLink } from '../../../libs/testing/src/simulation/store-link.js';
import type { OwedWebhooks } from '../owed-webhooks.js';
import type { Queue } from './queue.js';
import type { PostgresServer } from './server.js';

/** The parts of a node that the model looks at. */
export interface Observed {
  readonly broker: Broker;
  readonly channels: ChannelRepository;
  readonly presence: PresenceRepository;
}

type Carried = Pick<CarriedMessages, 'isFollowing' | 'cursor'> & {
  readonly epoch?: string;
  readonly mayMissMore: boolean;
};

/** What a node is made of that shares a PostgreSQL. */
export interface PostgresParts extends ServingParts {
  readonly server: PostgresServer;
  readonly queue: Queue;
  readonly owed: OwedWebhooks;
}

/** A process of the server whose shared ports are those of PostgreSQL, over pg and a simulated network. */
export class PostgresNode extends ServingNode {
  isServing = false;
  /** The queue of webhooks, behind a network as PostgreSQL is. */
  private readonly jobs: JobStore;

  constructor(
    name: string,
    private readonly own: PostgresParts,
  ) {
    super(name, own);
    const { world, queue, owed } = own;
    this.jobs = new StoreLink(world, this.party, queue.party).remote(queue.of(owed));
  }

  /** Time stands still until its modules exist. Then they start, which takes time. */
  async compiled(): Promise<Observed> {
    const { world, server } = this.own;
    const options = {
      ...dataSourceOptions('postgres://simulated/simulated'),
      // Its statements are Rookery's own.
      entities: [],
      extra: { stream: () => server.socketOf(this.party) },
    };
    return world.standStill(this.party, async () => {
      const dataSource = await new DataSource(options).initialize();
      const storage = TypeOrmStorageModule.forRoot({ dataSource, migrations: false });
      await this.compile([storage, PostgresClusterModule.forRoot()], this.jobs);
      const [broker, channels] = [this.get(Broker), this.get(ChannelRepository)];
      return { broker, channels, presence: this.get(PresenceRepository) };
    });
  }

  /** The latest of the messages that it has read, if it reads any. */
  get readUntil(): number | undefined {
    const { isFollowing, cursor } = this.carried;
    return isFollowing ? cursor : undefined;
  }

  /** Tells apart the tables of messages that it has read from; undefined if it has read none. */
  get messageEpoch(): string | undefined {
    return this.carried.epoch;
  }

  /** Whether it has noticed that it misses messages, and will report it again once it misses no more. */
  get mayMissMore(): boolean {
    return this.carried.mayMissMore;
  }

  /** Whether it takes itself to be alone, and delivers its messages past PostgreSQL. */
  get isAlone(): boolean {
    return this.get(Membership).isAlone;
  }

  private get carried(): Carried {
    return (this.get(Broker) as unknown as { readonly carried: Carried }).carried;
  }

  /** @throws if PostgreSQL is away */
  async start(): Promise<void> {
    await this.module!.init();
    this.isServing = true;
  }
}
