import { type MigrationInterface, type QueryRunner, Table } from 'typeorm';
import { columnsFor } from './columns.js';
import { onPostgres } from './on-postgres.js';

/** Events that hosts trigger in their own transactions. */
export class CreateTriggers1764360000000 implements MigrationInterface {
  readonly name = 'CreateTriggers1764360000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(triggers(runner));
    await runner.createTable(relays(runner));
    await onPostgres(runner, ['CREATE SEQUENCE rookery_trigger_positions', placeTriggers, placeAtCommit]);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('rookery_triggers');
    await runner.dropTable('rookery_trigger_relays');
    await onPostgres(runner, ['DROP FUNCTION rookery_place_triggers()', 'DROP SEQUENCE rookery_trigger_positions']);
  }
}

function triggers(runner: QueryRunner): Table {
  const { text, bigint } = columnsFor(runner);
  return new Table({
    name: 'rookery_triggers',
    columns: [
      text('id', { isPrimary: true }),
      bigint('position'),
      text('app_id'),
      text('channel'),
      text('name'),
      text('data'),
      text('socket_id', { isNullable: true }),
      bigint('created_at'),
      bigint('buried_at', { isNullable: true }),
      text('reason', { isNullable: true }),
    ],
    indices: [{ name: 'rookery_triggers_by_position', columnNames: ['position'] }],
  });
}

function relays(runner: QueryRunner): Table {
  const { text, bigint } = columnsFor(runner);
  return new Table({
    name: 'rookery_trigger_relays',
    withoutRowid: true,
    columns: [text('name', { isPrimary: true }), text('owner'), bigint('leased_until')],
  });
}

/**
 * Runs at the commit, and gives positions to all that the transaction has triggered: below 0 stands nothing that others can
 * see. It holds the channels, as 64 lanes, until the commit is done, so that whoever comes next to one of them gets a
 * greater position and is seen later. Lanes are taken in their order: transactions cannot wait for each other in a ring.
 */
const placeTriggers = `
CREATE FUNCTION rookery_place_triggers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM rookery_triggers t WHERE t.id = NEW.id AND t.position < 0;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  PERFORM pg_advisory_xact_lock(7665540, lanes.lane) FROM (
    SELECT DISTINCT hashtext(t.app_id || ' ' || t.channel) & 63 AS lane
    FROM rookery_triggers t WHERE t.position < 0 ORDER BY lane
  ) lanes;
  UPDATE rookery_triggers t SET position = placed.position FROM (
    SELECT waiting.id, nextval('rookery_trigger_positions') AS position FROM (
      SELECT w.id FROM rookery_triggers w WHERE w.position < 0 ORDER BY w.position DESC
    ) waiting
  ) placed WHERE t.id = placed.id;
  RETURN NULL;
END $$`;

const placeAtCommit = `
CREATE CONSTRAINT TRIGGER place_at_commit AFTER INSERT ON rookery_triggers
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION rookery_place_triggers()`;
