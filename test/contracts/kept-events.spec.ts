import { describe } from 'vitest';
import { type Database, TypeOrmBroker, TypeOrmSessionRepository } from 'rookery/typeorm';
import { describeBroker, describeSessionRepository } from 'rookery/testing';
import { describeDatabases } from '../support/databases.js';

const tables = ['event_order', 'histories', 'kept_events', 'remembered_events', 'sessions', 'session_positions'];

async function empty(database: Database): Promise<void> {
  for (const table of tables) await database.execute(`DELETE FROM rookery_${table}`);
}

describeDatabases('Events and sessions', ({ database }) => {
  describe('TypeOrmBroker', () => {
    describeBroker(async (atEnd) => {
      await empty(database());
      const broker = new TypeOrmBroker(database());
      await broker.onModuleInit();
      atEnd(() => broker.onApplicationShutdown());
      return broker;
    });
  });

  describe('TypeOrmSessionRepository', () => {
    describeSessionRepository(async (atEnd) => {
      await empty(database());
      const sessions = new TypeOrmSessionRepository(database());
      atEnd(() => sessions.onApplicationShutdown());
      return sessions;
    });
  });
});
