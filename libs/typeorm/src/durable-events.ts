import { TypeOrmSessionRepository } from './sessions/typeorm-session.repository.js';
import { TypeOrmAnnouncementRepository } from './announcements/typeorm-announcement.repository.js';
import { TypeOrmBroker } from './events/typeorm.broker.js';

/**
 * For `ChannelsModule.forRoot({ …, ...durableEvents })` in a single process without Redis: histories, sessions and the
 * last events of cache channels survive a restart, and after a crash webhooks report who has not returned.
 */
export const durableEvents = {
  broker: TypeOrmBroker,
  sessionRepository: TypeOrmSessionRepository,
  announcementRepository: TypeOrmAnnouncementRepository,
} as const;
