import {
  Membership,
  PostgresBroker,
  PostgresChannelRepository,
  PostgresIdempotencyKeys,
  PostgresPresenceRepository,
  PostgresReceiptRepository,
  SharedDatabase,
} from 'rookery/internal/typeorm';
import { describeBroker, type Fresh } from '@rookery/testing';
import { usePostgres } from '../support/databases.js';
import { describePostgres } from '../support/postgres.js';
import { describePortsOf } from './ports-of.js';

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

  const broker =
    (others: number): Fresh<PostgresBroker> =>
    async (atEnd) => {
      await empty(events);
      const memberships = Array.from({ length: others + 1 }, () => new Membership(database()));
      for (const membership of memberships) {
        await membership.onModuleInit();
        atEnd(() => membership.onApplicationShutdown());
      }
      const made = new PostgresBroker(database(), new SharedDatabase(database()), memberships.at(-1)!);
      await made.onModuleInit();
      atEnd(() => made.onApplicationShutdown());
      return made;
    };

  describePostgres('PostgresBroker of a process that is alone', () => {
    describeBroker(broker(0));
  });

  /** A port on tables in which it finds nothing. */
  const fresh =
    <Port>(port: (shared: SharedDatabase) => Port, tables: readonly string[]) =>
    async () => {
      await empty(tables);
      return port(new SharedDatabase(database()));
    };

  describePortsOf('Postgres', {
    Broker: broker(1),
    ChannelRepository: fresh((shared) => new PostgresChannelRepository(shared), channels),
    PresenceRepository: fresh((shared) => new PostgresPresenceRepository(shared), members),
    SessionRepository: 'none: TypeOrmSessionRepository',
    IdempotencyKeys: fresh((shared) => new PostgresIdempotencyKeys(shared), ['idempotency_keys']),
    ReceiptRepository: fresh((shared) => new PostgresReceiptRepository(shared), ['receipts', 'receipt_events']),
    RequestRates: 'none: TypeOrmRequestRates',
    JobStore: 'none: TypeOrmJobStore',
    ConsoleStore: 'none: TypeOrmConsoleStore',
  });
});
