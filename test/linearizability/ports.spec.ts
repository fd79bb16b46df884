import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ChannelRepository,
  type IdempotencyKeys,
  type KeyedRequest,
  type KeyState,
  MemoryChannelRepository,
  MemoryIdempotencyKeys,
  type Occupancy,
} from 'rookery/channels';
import { settingsOf } from '#common';
import { type JobClaim, type JobStore, MemoryJobStore } from 'rookery/jobs';
import {
  type Holder,
  type Joined,
  type Left,
  type Member,
  MemoryPresenceRepository,
  type PresenceRepository,
  type Room,
} from 'rookery/presence';
import {
  RedisChannelRepository,
  RedisConnection,
  RedisIdempotencyKeys,
  RedisJobStore,
  RedisPresenceRepository,
  RedisSettings,
} from 'rookery/internal/redis';
import {
  type Database,
  migrate,
  openDatabase,
  PostgresChannelRepository,
  PostgresIdempotencyKeys,
  PostgresPresenceRepository,
  SharedDatabase,
  TypeOrmJobStore,
} from 'rookery/internal/typeorm';
import { describePostgres, startPostgres, type TestPostgres } from '../support/postgres.js';
import { Random } from '../support/random.js';
import { describeRedis, redisAndValkey, type TestRedis } from '../support/redis.js';
import { RoughProxy } from '../support/rough-proxy.js';
import { describeNode } from '../support/services.js';
import { rough } from './rough-port.js';
import { type Holders, unfencedJobs, unfencedKeys } from './unfenced.js';
import { checkClaims, checkIdempotencyKeys, checkOccupancy, checkPresence } from './workload.js';

const seeds = [1, 2, 3];

const unexplained = 'No order explains';
const jobMethods = ['renew', 'retry', 'done'] as const;
/** One caller overtakes its own earlier claims: the history of a broken store is the same on each run. */
const alone = { callers: 1, calls: 240 };
/** Runs one history after the other: a fault may not show in the first. */
async function ofSeeds(check: (seed: number) => Promise<unknown>): Promise<void> {
  for (const seed of seeds) await check(seed);
}
const keyMethods = ['answer', 'release'] as const;

describeNode('in memory, with calls and answers that are delayed and lost', () => {
  describe.each(seeds)('with seed %i', (seed) => {
    const one = <Port extends object>(port: Port) => {
      const behind = rough(port, seed);
      return () => behind;
    };

    it('idempotency keys are linearizable', async () => {
      await checkIdempotencyKeys(one<IdempotencyKeys>(new MemoryIdempotencyKeys()), { seed });
    });
    it('occupancy is', async () => {
      await checkOccupancy(one<ChannelRepository>(new MemoryChannelRepository()), { seed });
    });
    it('presence is', async () => {
      await checkPresence(one<PresenceRepository>(new MemoryPresenceRepository()), { seed });
    });
    it('claims of jobs are', async () => {
      await checkClaims(one<JobStore>(new MemoryJobStore()), { seed });
    });
  });
});

class ChecksThenClaims extends MemoryIdempotencyKeys {
  private readonly known = new Set<string>();
  override claim(request: KeyedRequest): KeyState {
    const isKnown = this.known.has(request.key);
    // Long after: as a look-up that is not in one step with what follows it.
    void turn().then(() => this.known.add(request.key));
    return isKnown ? super.claim(request) : { state: 'claimed' };
  }
}
class NeverReleases extends MemoryIdempotencyKeys {
  override release(): void {}
}
class AnswersAnOldNumber extends MemoryChannelRepository {
  private latest: Occupancy | undefined;
  override occupy(...args: [string, string, string, number]): Occupancy {
    const answer = super.occupy(...args);
    const older = this.latest;
    this.latest = answer;
    return older && args[3] > 1 ? { ...answer, count: older.count } : answer;
  }
}
class TellsTwice extends MemoryChannelRepository {
  override occupy(...args: [string, string, string, number]): Occupancy {
    const answer = super.occupy(...args);
    return answer.count === 2 ? { ...answer, change: { to: 'occupied', version: answer.version } } : answer;
  }
}
class IsLastTooOften extends MemoryPresenceRepository {
  override leave(room: Room, holder: Holder): Left | undefined {
    const left = super.leave(room, holder);
    return left && { ...left, wasLast: true };
  }
}
class ShowsAnOldRoster extends MemoryPresenceRepository {
  private readonly shown = new Map<string, ReturnType<MemoryPresenceRepository['roster']>>();
  override roster(room: Room) {
    const before = this.shown.get(room.name);
    const roster = super.roster(room);
    this.shown.set(room.name, roster);
    return before ?? roster;
  }
}
class UpdatesAbsentUsers extends MemoryPresenceRepository {
  override update(room: Room, member: Member): number | undefined {
    return super.update(room, member) ?? ++this.version;
  }
}
class JoinsWithAnotherInfo extends MemoryPresenceRepository {
  override join(room: Room, holder: Holder, member: Member, limit: number): Joined {
    const joined = super.join(room, holder, member, limit);
    // As if the info were of the connection that came last.
    super.update(room, member);
    return joined;
  }
}
class LosesUpdates extends MemoryPresenceRepository {
  private updates = 0;
  override update(room: Room, member: Member): number | undefined {
    if (++this.updates % 5 > 0) return super.update(room, member);
    const shown = super.roster(room).members.find(({ userId }) => userId === member.userId);
    return shown && super.update(room, shown);
  }
}
class ClaimsForTwo extends MemoryJobStore {
  override claim(claim: JobClaim) {
    return super.claim({ ...claim, leaseMs: claim.leaseMs / 4 });
  }
}
class LosesLeases extends MemoryJobStore {
  override async renew(): Promise<boolean> {
    return false;
  }
}

describeNode('the histories show an implementation that', () => {
  it.each([
    [ChecksThenClaims, (port: object) => checkIdempotencyKeys(() => port as IdempotencyKeys)],
    [NeverReleases, (port: object) => checkIdempotencyKeys(() => port as IdempotencyKeys)],
    [AnswersAnOldNumber, (port: object) => checkOccupancy(() => port as ChannelRepository)],
    [TellsTwice, (port: object) => checkOccupancy(() => port as ChannelRepository)],
    [IsLastTooOften, (port: object) => checkPresence(() => port as PresenceRepository)],
    [ShowsAnOldRoster, (port: object) => checkPresence(() => port as PresenceRepository)],
    [UpdatesAbsentUsers, (port: object) => checkPresence(() => port as PresenceRepository)],
    [JoinsWithAnotherInfo, (port: object) => checkPresence(() => port as PresenceRepository)],
    [LosesUpdates, (port: object) => checkPresence(() => port as PresenceRepository)],
    [ClaimsForTwo, (port: object) => checkClaims(() => port as JobStore)],
    [LosesLeases, (port: object) => checkClaims(() => port as JobStore)],
  ])('%o', async (Broken, check) => {
    await expect(check(rough<object>(new Broken()))).rejects.toThrow(unexplained);
  });

  it.each(jobMethods)('has no fence before %s of a job', async (method) => {
    const check = ofSeeds((seed) => {
      const port = unfencedJobs(new MemoryJobStore(), method);
      return checkClaims(() => port, { ...alone, seed });
    });
    await expect(check).rejects.toThrow(unexplained);
  });
  it.each(keyMethods)('has no fence before %s of an idempotency key', async (method) => {
    const port = rough(unfencedKeys(new MemoryIdempotencyKeys(), method), 1, false);
    await expect(checkIdempotencyKeys(() => port)).rejects.toThrow(unexplained);
  });
});

/** Disturbs the connections until it is stopped, and tells how often it did. */
function disturb(proxy: RoughProxy, seed: number): () => Promise<number> {
  const random = new Random(seed);
  const stopping = new AbortController();
  let times = 0;
  const disturbing = (async () => {
    while (!stopping.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, 50 + random.below(200)));
      proxy.be(random.weighted({ cut: 4, stall: 1, 'half-close to the client': 1, 'half-close to the server': 1 }));
      times += 1;
    }
  })();
  return async () => {
    stopping.abort();
    await disturbing;
    return times;
  };
}

const callers = 5;

describeRedis.each(redisAndValkey())('on %s, over connections that are cut and stall', (_, start) => {
  let redis: TestRedis;
  let proxy: RoughProxy;
  let connections: RedisConnection[];
  let tests = 0;
  beforeAll(async () => {
    redis = await start();
    proxy = await RoughProxy.start(() => redis.port);
  });
  afterAll(async () => {
    proxy.stop();
    await redis.stop();
  });

  /** Each caller is a process with a connection of its own. */
  async function byProcesses(check: (connectionOf: (caller: number) => RedisConnection) => Promise<unknown>) {
    const url = `redis://127.0.0.1:${proxy.port}`;
    const settings = settingsOf(RedisSettings, { url, keyPrefix: `test-${++tests}`, commandTimeoutSeconds: 1 });
    connections = await Promise.all(Array.from({ length: callers }, () => RedisConnection.open(settings)));
    try {
      await check((caller) => connections[caller]!);
    } finally {
      for (const connection of connections) connection.close();
    }
  }
  const disturbed: typeof byProcesses = (check) =>
    byProcesses(async (of) => {
      const stop = disturb(proxy, tests);
      try {
        await check(of);
      } finally {
        expect(await stop()).toBeGreaterThan(0);
      }
    });

  it('idempotency keys are linearizable', async () => {
    for (const seed of seeds)
      await disturbed((of) =>
        checkIdempotencyKeys((caller) => new RedisIdempotencyKeys(of(caller)), { callers, seed }),
      );
  }, 600_000);
  it('occupancy is', async () => {
    await disturbed((of) => checkOccupancy((caller) => new RedisChannelRepository(of(caller)), { callers, calls: 60 }));
  }, 600_000);
  it('presence is', async () => {
    const work = { callers, calls: 60, repeatsUpdates: true };
    await disturbed((of) => checkPresence((caller) => new RedisPresenceRepository(of(caller)), work));
  }, 600_000);
  it('claims of jobs are', async () => {
    for (const seed of seeds)
      await disturbed((of) => checkClaims((caller) => new RedisJobStore(of(caller)), { callers, seed }));
  }, 600_000);
  it.each(jobMethods)(
    'claims of jobs are not without the fence before %s',
    async (method) => {
      const check = ofSeeds((seed) =>
        byProcesses((of) => {
          const port = unfencedJobs(new RedisJobStore(of(0)), method);
          return checkClaims(() => port, { ...alone, seed });
        }),
      );
      await expect(check).rejects.toThrow(unexplained);
    },
    600_000,
  );
  it.each(keyMethods)(
    'idempotency keys are not without the fence before %s',
    async (method) => {
      const holders: Holders = new Map();
      const check = byProcesses((of) =>
        checkIdempotencyKeys((caller) => unfencedKeys(new RedisIdempotencyKeys(of(caller)), method, holders), {
          callers,
        }),
      );
      await expect(check).rejects.toThrow(unexplained);
    },
    600_000,
  );
});

/** All but those of lanes, whose versions go on. */
const sharedTables = [
  'idempotency_keys',
  'channel_counts',
  'channel_holders',
  'present_users',
  'present_connections',
  'absences',
];

describePostgres('on PostgreSQL, over connections that are cut and stall', () => {
  let postgres: TestPostgres;
  let proxy: RoughProxy;
  let databases: Database[];
  beforeAll(async () => {
    postgres = await startPostgres();
    proxy = await RoughProxy.start(() => Number(new URL(postgres.url).port));
    const url = new URL(postgres.url);
    url.port = String(proxy.port);
    const first = await openDatabase(postgres.url);
    await migrate(first.dataSource);
    await first.dataSource.destroy();
    databases = await Promise.all(Array.from({ length: callers }, () => openDatabase(url.href)));
  });
  afterAll(async () => {
    await Promise.all(databases.map(({ dataSource }) => dataSource.destroy()));
    proxy.stop();
    await postgres.stop();
  });

  /** Each caller is a process with connections of its own. */
  async function disturbed(seed: number, check: (sharedBy: (caller: number) => SharedDatabase) => Promise<unknown>) {
    const shared = databases.map((database) => new SharedDatabase(database));
    for (const table of sharedTables) await shared[0]!.insist(`DELETE FROM rookery_${table}`, []);
    const stop = disturb(proxy, seed);
    try {
      await check((caller) => shared[caller]!);
    } finally {
      expect(await stop()).toBeGreaterThan(0);
    }
  }

  it('idempotency keys are linearizable', async () => {
    for (const seed of seeds)
      await disturbed(seed, (of) =>
        checkIdempotencyKeys((caller) => new PostgresIdempotencyKeys(of(caller)), { callers, seed }),
      );
  }, 600_000);
  it('occupancy is', async () => {
    await disturbed(2, (of) => {
      const ports = databases.map((_, caller) => new PostgresChannelRepository(of(caller)));
      return checkOccupancy((caller) => ports[caller]!, { callers, calls: 150 });
    });
  }, 600_000);
  it('presence is', async () => {
    await disturbed(3, (of) => {
      const ports = databases.map((_, caller) => new PostgresPresenceRepository(of(caller)));
      return checkPresence((caller) => ports[caller]!, { callers, calls: 150, repeatsUpdates: true });
    });
  }, 600_000);

  it('claims of jobs are linearizable', async () => {
    const stop = disturb(proxy, 1);
    const stores = databases.map((database) => new TypeOrmJobStore(database));
    const { calls } = await checkClaims((caller) => stores[caller]!, { callers });
    expect(await stop()).toBeGreaterThan(0);
    expect(calls).toBeGreaterThan(500);
  }, 600_000);

  it.each(jobMethods)(
    'claims of jobs are not without the fence before %s',
    async (method) => {
      const database = await openDatabase(postgres.url);
      const check = ofSeeds((seed) => {
        const port = unfencedJobs(new TypeOrmJobStore(database, `${method} ${seed}`), method);
        return checkClaims(() => port, { ...alone, seed });
      });
      await expect(check).rejects.toThrow(unexplained);
      await database.dataSource.destroy();
    },
    600_000,
  );
});
