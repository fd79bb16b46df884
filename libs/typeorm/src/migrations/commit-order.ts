import type { QueryRunner } from 'typeorm';
import { onPostgres } from '../database/on-postgres.js';

/** On PostgreSQL, assigns the events of a transaction their positions at its commit. Can run repeatedly. */
export const orderCommits = (runner: QueryRunner): Promise<void> =>
  onPostgres(runner, [
    'CREATE SEQUENCE IF NOT EXISTS rookery_trigger_positions',
    placeTriggers,
    'DROP TRIGGER IF EXISTS place_at_commit ON rookery_triggers',
    placeAtCommit,
  ]);

/**
 * Runs at the commit and assigns positions to all events of the transaction; until then they are below 0 and invisible
 * to others. It locks the channels, as 64 lanes, until the commit is done, so that the next transaction on one of them
 * gets greater positions and becomes visible later. It locks lanes in order, so transactions cannot deadlock.
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
