import { TypeOrmSessionRepository } from './sessions/typeorm-session.repository.js';
import { TypeOrmBroker } from './events/typeorm.broker.js';

/**
 * For `ChannelsModule.forRoot({ …, ...durableEvents })` in a single process without Redis: histories, sessions and the
 * last events of cache channels survive a restart.
 */
export const durableEvents = { broker: TypeOrmBroker, sessionRepository: TypeOrmSessionRepository } as const;
