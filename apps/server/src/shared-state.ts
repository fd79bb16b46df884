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

/** Whether the database of this machine keeps events and sessions: in a single process, or in the primary of workers. */
export const keepsEvents = ({ redis, role }: Pick<ServerConfig, 'redis' | 'role'>): boolean =>
  redis === undefined && role !== 'worker';

/**
 * The one decision on it. With Redis, RedisBroker. Without it, a worker calls the process that started it, and so its
 * TypeOrmBroker; any other process has PostgresBroker on PostgreSQL, and TypeOrmBroker on SQLite.
 * @param primary the link to the process that started this worker
 */
export function sharedState(
  { redis, workers, databaseUrl }: Pick<ServerConfig, 'redis' | 'workers' | 'databaseUrl'>,
  primary: RpcLink | undefined,
): SharedState {
  if (redis) return { modules: [RedisModule.forRoot(redis)], channels: {} };
  if (primary)
    return {
      modules: [WorkersModule.forRoot(primary, workers)],
      channels: { announcementRepository: WorkersAnnouncements },
    };
  if (databaseUrl.startsWith('postgres')) return { modules: [PostgresClusterModule.forRoot()], channels: {} };
  return { modules: [], channels: durableEvents };
}
