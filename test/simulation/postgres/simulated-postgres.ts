import { nextTurn, World } from '../../../libs/testing/src/simulation/world.js';
import { seedIds } from '../../../libs/testing/src/simulation/seeded-ids.js';
import { newSocketId } from '../../../libs/channels/src/protocol/socket-id.js';
import { Random } from '../../../libs/testing/src/simulation/random.js';
import { Party } from '../../../libs/testing/src/simulation/party.js';
import type { Backing, BackingParts } from '../backing.js';
import { MemberUpdates } from '../member-updates.js';
import { Run } from '../run.js';
import type { ChannelsSchedule } from '../schedule.js';
import type { Simulated } from '../search.js';
import { PostgresCluster } from './cluster.js';
import { CommittedEvents } from './committed-events.js';
import { PostgresFailures } from './failures.js';
import { faults } from './faults.js';
import { Postgres } from './postgres.js';
import { Queue } from './queue.js';
import { scheduleOf } from './schedule.js';
import { PostgresServer } from './server.js';

/** A connection for the creation of tables, at which no time passes. */
function setUp(postgres: Postgres): object {
  const world = new World(0);
  world.isStill = true;
  return new PostgresServer(world, postgres, () => {}).socketOf(new Party('setup'));
}

const onPostgres =
  (postgres: Postgres) =>
  ({ world, record, schedule, prepare }: BackingParts): Backing => {
    const events = new CommittedEvents(world, record);
    const server: PostgresServer = new PostgresServer(world, postgres, () => events.committed(server));
    const queue = new Queue(world);
    const { limits } = schedule;
    const cluster = new PostgresCluster({ world, server, queue, events, prepare, limits });
    const updates = new MemberUpdates(
      ({ scope, name }) =>
        server
          .rows(`SELECT user_id, info FROM rookery_present_users WHERE app_id = '${scope}' AND name = '${name}'`)
          .map(([userId, info]) => ({ userId: userId!, ...(info != null && { userInfoJson: info }) })),
      () => undefined,
    );
    const failuresOf: Backing['failuresOf'] = (clients) =>
      new PostgresFailures({ world, postgres, server, cluster, record, clients });
    return { store: queue, cluster, updates, failuresOf };
  };

class CountedRandom extends Random {
  draws = 0;

  override next(): number {
    this.draws += 1;
    return super.next();
  }
}

/**
 * Ids choose the partitions on which nodes listen. Socket ids are made from a supply of random bytes, in which a run
 * before this one may have left some.
 *
 * @returns what restores Node's own
 */
function seedAllIds(seed: number): () => void {
  const random = new CountedRandom(seed);
  const restore = seedIds(random);
  while (random.draws === 0) newSocketId();
  return restore;
}

/** Nodes of Channels that share a real PostgreSQL, by the statements and the connections of libs/typeorm. */
export const simulatedPostgres: Simulated<ChannelsSchedule> = {
  scheduleOf,
  run: async (schedule, prepare, print) => {
    const postgres = await Postgres.open(setUp);
    postgres.reset();
    const run = new Run(schedule, prepare, print, onPostgres(postgres), nextTurn);
    const restoreIds = seedAllIds(schedule.seed);
    try {
      return await run.outcome();
    } finally {
      restoreIds();
    }
  },
  describe: ({ nodes, clients }) => `with ${nodes} nodes and ${clients} clients, on PostgreSQL`,
  lies: [],
  faults,
  rareFaults: {},
};
