import type { QueryRunner } from 'typeorm';
import { onPostgres } from '../../database/on-postgres.js';

/** Begins the names of the notices of partitions. */
export const noticeOf = (partition: number): string => `rookery_messages_${partition}`;

/**
 * On PostgreSQL, creates the table that carries messages between processes. It is unlogged: after a crash it is empty,
 * and `rookery_message_epoch` too, by which every process notices. Can run repeatedly.
 */
export const createMessages = (runner: QueryRunner): Promise<void> =>
  onPostgres(runner, [
    // Rows live for seconds: autovacuum is to run by their number, and not by the share of the table.
    `CREATE UNLOGGED TABLE IF NOT EXISTS rookery_messages (
       position bigint PRIMARY KEY, partition int NOT NULL, app_id text NOT NULL, channel text NOT NULL,
       head text NOT NULL, text text NOT NULL
     ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
       autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000)`,
    `CREATE UNLOGGED TABLE IF NOT EXISTS rookery_message_epoch (
       name text PRIMARY KEY, id text NOT NULL, deleted bigint NOT NULL)`,
    carry,
  ]);

/**
 * Adds messages, gives them positions, and notifies the listeners of their partitions at the commit. The row of the
 * order is locked until then, so messages become visible in the order of their positions, which follow the clock of the
 * database. PostgreSQL commits notifications one after another anyway. Without events to keep, the commit does not wait
 * for the disk.
 */
const carry = `
CREATE OR REPLACE FUNCTION rookery_carry(known bigint, sender text, keeps boolean, partitions int[], apps text[],
  channels text[], heads text[], texts text[], OUT before bigint, OUT start bigint, OUT forgotten bigint)
LANGUAGE plpgsql AS $$
BEGIN
  SELECT o.latest, o.forgotten INTO before, forgotten FROM rookery_event_order o
  WHERE o.name = 'events' FOR NO KEY UPDATE;
  start := greatest(before, known, floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
  UPDATE rookery_event_order o SET latest = start + cardinality(partitions) WHERE o.name = 'events';
  INSERT INTO rookery_messages (position, partition, app_id, channel, head, text)
  SELECT start + m.n, m.partition, m.app_id, m.channel, m.head, m.text
  FROM unnest(partitions, apps, channels, heads, texts) WITH ORDINALITY
    AS m(partition, app_id, channel, head, text, n);
  PERFORM pg_notify('rookery' || '_messages_' || p, sender) FROM (SELECT DISTINCT unnest(partitions) AS p) AS those;
  IF NOT keeps THEN
    PERFORM set_config('synchronous_commit', 'off', true);
  END IF;
END $$`;
