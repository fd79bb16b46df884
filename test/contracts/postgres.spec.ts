import {
  PostgresBroker,
  PostgresChannelRepository,
  PostgresIdempotencyKeys,
  PostgresPresenceRepository,
  PostgresReceiptRepository,
} from 'rookery/typeorm';
import { Membership, SharedDatabase } from 'rookery/internal/typeorm';
import {
  describeBroker,
  describeChannelRepository,
  describeIdempotencyKeys,
  describePresenceRepository,
  describeReceiptRepository,
} from '@rookery/testing';
import { usePostgres } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';

const events = ['event_order', 'histories', 'kept_events', 'remembered_events', 'shared_texts', 'messages'];
const channels = [
  'channel_counts',
  'channel_holders',
  'admitted',
  'admitted_counts',
  'absences',
  'unanswered',
  'gone_nodes',
];
const members = ['present_users', 'present_connections', 'absences', 'unanswered', 'gone_nodes'];

describePostgres('on PostgreSQL', () => {
  const { database } = usePostgres();

  const empty = async (tables: readonly string[]): Promise<void> => {
    for (const table of tables) await database().execute(`DELETE FROM rookery_${table}`);
  };

  describePostgres.each([
    ['of a process that is alone', 0],
    ['of one among others', 1],
  ])('PostgresBroker %s', (_, others) => {
    describeBroker(async (atEnd) => {
      await empty(events);
      const memberships = Array.from({ length: others + 1 }, () => new Membership(database()));
      for (const membership of memberships) {
        await membership.onModuleInit();
        atEnd(() => membership.onApplicationShutdown());
      }
      const broker = new PostgresBroker(database(), new SharedDatabase(database()), memberships.at(-1)!);
      await broker.onModuleInit();
      atEnd(() => broker.onApplicationShutdown());
      return broker;
    });
  });

  /** A port on tables in which it finds nothing. */
  const fresh =
    <Port>(port: (shared: SharedDatabase) => Port, tables: readonly string[]) =>
    async () => {
      await empty(tables);
      return port(new SharedDatabase(database()));
    };

  describePostgres('PostgresChannelRepository', () => {
    describeChannelRepository(fresh((shared) => new PostgresChannelRepository(shared), channels));
  });

  describePostgres('PostgresPresenceRepository', () => {
    describePresenceRepository(fresh((shared) => new PostgresPresenceRepository(shared), members));
  });

  describePostgres('PostgresIdempotencyKeys', () => {
    describeIdempotencyKeys(fresh((shared) => new PostgresIdempotencyKeys(shared), ['idempotency_keys']));
  });

  describePostgres('PostgresReceiptRepository', () => {
    describeReceiptRepository(fresh((shared) => new PostgresReceiptRepository(shared), ['receipts', 'receipt_events']));
  });
});
