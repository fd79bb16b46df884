import { NodesService } from 'rookery/channels';
import { LeaseStore } from 'rookery/internal/channels';
import { Membership, SharedDatabase } from 'rookery/internal/typeorm';
import { Database, PostgresBroker } from 'rookery/typeorm';
import type { CarriedMessages } from '../../../libs/typeorm/src/cluster/broker/carried-messages.js';
import { PostgresLeaseStore } from '../../../libs/typeorm/src/cluster/nodes/postgres-lease.store.js';
import type { Prepare } from '../prepare.js';

/** What a fault changes: also what other code does not see. */
type Carried = Omit<CarriedMessages, 'passed'> & {
  readonly receiver: { lost(): void };
  readSome(): Promise<boolean>;
  deliver(row: object, position: number): void;
  passed(position: number): void;
  cursor: number;
};

const withBroker = (change: (carried: Carried, broker: PostgresBroker, shared: SharedDatabase) => void): Prepare => {
  const factory = (...of: ConstructorParameters<typeof PostgresBroker>): PostgresBroker => {
    const broker = new PostgresBroker(...of);
    change((broker as unknown as { readonly carried: Carried }).carried, broker, of[1]);
    return broker;
  };
  return (module) =>
    module.overrideProvider(PostgresBroker).useFactory({ inject: [Database, SharedDatabase, Membership], factory });
};

const withLeases = (change: (store: PostgresLeaseStore) => void): Prepare => {
  const factory = (...of: ConstructorParameters<typeof PostgresLeaseStore>): PostgresLeaseStore => {
    const store = new PostgresLeaseStore(...of);
    change(store);
    return store;
  };
  return (module) => module.overrideProvider(LeaseStore).useFactory({ inject: [SharedDatabase, Membership], factory });
};

/** Nodes on PostgreSQL that leave out a step. */
export const faults: Readonly<Record<string, Prepare>> = {
  'the dead stay where they were': withLeases((store) => {
    store.claimDead = async () => undefined;
  }),

  'each node takes itself to be alone': (module) =>
    module.overrideProvider(Membership).useFactory({
      inject: [Database],
      factory: async (database: Database) =>
        Object.defineProperty(await Membership.of(database), 'isAlone', { value: true }),
    }),

  'a node passes over what it has not read when it delivers its own': withBroker((carried) => {
    carried.isAt = () => true;
  }),

  'a node does not notice that the messages are lost': withBroker((carried) => {
    carried.receiver.lost = () => {};
  }),

  'a node that is cut off does not go back to what it has read': withBroker((carried) => {
    const { readSome, deliver } = carried;
    let isCutOff = false;
    carried.deliver = (...of) => {
      if (!isCutOff) deliver.apply(carried, of);
    };
    carried.readSome = async () => {
      try {
        const isMore = await readSome.call(carried);
        isCutOff = false;
        return isMore;
      } catch (error) {
        isCutOff = true;
        throw error;
      }
    };
  }),

  'an event is published again if its answer is lost': withBroker((_, broker, shared) => {
    const publish = broker.publish.bind(broker);
    broker.publish = (...of) => shared.patiently(async () => publish(...of));
  }),

  'nodes do not announce what they hold once PostgreSQL is back': (module) =>
    module.overrideProvider(NodesService).useClass(
      class extends NodesService {
        override async announce(): Promise<void> {}
      },
    ),

  'nodes use what is shared before all have announced what they hold': (module) =>
    module.overrideProvider(SharedDatabase).useFactory({
      inject: [Database],
      factory: (database: Database) => {
        const shared = new SharedDatabase(database);
        shared.insistOnAll = (work) => shared.patiently(work);
        return shared;
      },
    }),

  'members do not learn what they missed while PostgreSQL was away': (module) =>
    module.overrideProvider(NodesService).useClass(
      class extends NodesService {
        override async announceMissed(): Promise<void> {}
      },
    ),
};
