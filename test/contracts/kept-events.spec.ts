import { describe, expect, it, vi } from 'vitest';
import { type Database, TypeOrmBroker, TypeOrmSessionRepository } from 'rookery/typeorm';
import { describeBroker, describeSessionRepository } from '@rookery/testing';
import { describeDatabases } from '../support/databases.js';

const tables = [
  'event_order',
  'histories',
  'kept_events',
  'remembered_events',
  'shared_texts',
  'sessions',
  'session_positions',
];

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

    it('writes again what the database has refused', async () => {
      await empty(database());
      const sessions = new TypeOrmSessionRepository(database());
      const tab = { appId: 'app', key: 'key', id: 'tab' };
      const save = (channel: string, position: string) =>
        sessions.save(tab, '1.1', { positions: [[channel, position]] }, 600);
      await sessions.open(tab, '1.1', 600);
      await save('a', '1');
      const write = vi.spyOn(database(), 'write').mockRejectedValueOnce(new Error('the disk is full'));
      await save('a', '2');
      await expect(save('b', '1')).rejects.toThrow('the disk is full');
      write.mockRestore();
      await sessions.onApplicationShutdown();
      const next = new TypeOrmSessionRepository(database());
      const saved = await next.open(tab, '2.2', 600);
      expect(new Map(saved?.positions)).toEqual(
        new Map([
          ['a', '2'],
          ['b', '1'],
        ]),
      );
      await next.onApplicationShutdown();
    });
  });
});
