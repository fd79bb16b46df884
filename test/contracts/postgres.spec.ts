import { PostgresBroker } from 'rookery/typeorm';
import { describeBroker } from '@rookery/testing';
import { usePostgres } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';

const events = ['event_order', 'histories', 'kept_events', 'remembered_events', 'shared_texts', 'messages'];

describePostgres('on PostgreSQL', () => {
  const { database } = usePostgres();

  const empty = async (tables: readonly string[]): Promise<void> => {
    for (const table of tables) await database().execute(`DELETE FROM rookery_${table}`);
  };

  describePostgres('PostgresBroker', () => {
    describeBroker(async (atEnd) => {
      await empty(events);
      const broker = new PostgresBroker(database());
      await broker.onModuleInit();
      atEnd(() => broker.onApplicationShutdown());
      return broker;
    });
  });
});
