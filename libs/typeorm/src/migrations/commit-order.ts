import type { QueryRunner } from 'typeorm';
import { onPostgres } from './on-postgres.js';

/** On PostgreSQL, gives the events of a transaction their positions at its commit. It may run again. */
export const orderCommits = (runner: QueryRunner): Promise<void> =>
  onPostgres(runner, [
    'CREATE SEQUENCE IF NOT EXISTS rookery_trigger_positions',
    placeTriggers,
    'DROP TRIGGER IF EXISTS place_at_commit ON rookery_triggers',
    placeAtCommit,
  ]);

/**
 * Runs at the commit, and gives positions to all that the transaction has triggered: below 0 stands nothing that others can
 * see. It holds the channels, as 64 lanes, until the commit is done, so that whoever comes next to one of them gets a
 * greater position and is seen later. Lanes are taken in their order: transactions cannot wait for each other in a ring.
 */
const placeTriggers = `
CREATE OR REPLACE FUNCTION rookery_place_triggers() RETURNS trigger LANGUAGE plpgsql AS $$
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
