import type { DynamicModule } from '@nestjs/common';
import { RedisModule } from 'rookery/redis';
import { durableEvents, PostgresClusterModule } from 'rookery/typeorm';
import type { ServerConfig } from './config/config.js';
import type { RpcLink } from './workers/rpc-link.js';
import { WorkersAnnouncements } from './workers/workers-announcements.js';
import { WorkersModule } from './workers/workers.module.js';

/** What carries events between processes, and keeps the state that they share. */
interface SharedState {
  /** The module that supplies the shared ports to the others; none for a single process. */
  readonly modules: readonly DynamicModule[];
  /** The ports that ChannelsModule is given. */
  readonly channels: Partial<typeof durableEvents>;
}

/** What all processes on it share: each of them, and each worker, is a member of its own. */
type Store = 'Redis' | 'PostgreSQL';

type Storage = Pick<ServerConfig, 'redis' | 'databaseUrl'>;

/** Undefined on SQLite, which is one machine's. */
export const storeOf = ({ redis, databaseUrl }: Storage): Store | undefined =>
  redis ? 'Redis' : databaseUrl.startsWith('postgres') ? 'PostgreSQL' : undefined;

/** Whether the process that starts workers holds their shared state, with SQLite for events and sessions. */
export const holdsForWorkers = (config: Storage & Pick<ServerConfig, 'role'>): boolean =>
  storeOf(config) === undefined && config.role !== 'worker';

/**
 * The one decision on it: RedisBroker with Redis, otherwise PostgresBroker on PostgreSQL. On SQLite, a worker calls the
 * process that started it, and so its TypeOrmBroker, which a single process has itself.
 * @param primary the link to the process that started this worker
 */
export function sharedState(
  config: Storage & Pick<ServerConfig, 'workers'>,
  primary: RpcLink | undefined,
): SharedState {
  if (config.redis) return { modules: [RedisModule.forRoot(config.redis)], channels: {} };
  if (storeOf(config) === 'PostgreSQL') return { modules: [PostgresClusterModule.forRoot()], channels: {} };
  if (primary)
    return {
      modules: [WorkersModule.forRoot(primary, config.workers)],
      channels: { announcementRepository: WorkersAnnouncements },
    };
  return { modules: [], channels: durableEvents };
}
