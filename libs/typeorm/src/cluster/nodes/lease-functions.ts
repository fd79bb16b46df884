/**
 * The processes' leases. All calls lock one row, since each decides for all processes. Times are the database's, in
 * milliseconds. The tables are unlogged: a new epoch shows that the shared state was lost.
 */
export const leaseTables = [
  `CREATE UNLOGGED TABLE IF NOT EXISTS rookery_nodes (
     id text PRIMARY KEY, ends_at bigint NOT NULL, about text NOT NULL, dying_by text
   ) WITH (fillfactor = 50)`,
  // `is_next`: a process knows that there was an epoch before.
  `CREATE UNLOGGED TABLE IF NOT EXISTS rookery_node_epoch (
     name text PRIMARY KEY, id text NOT NULL, since bigint NOT NULL, is_next boolean NOT NULL) WITH (fillfactor = 10)`,
];

/** A process whose lease has ended, also one whose removal failed before, and which `_node` may remove. */
const isDead = `d.id <> _node AND CASE
         WHEN d.dying_by IS NULL THEN d.ends_at <= now_ms
         ELSE d.dying_by = _node
           OR NOT EXISTS (SELECT FROM rookery_nodes r WHERE r.id = d.dying_by AND r.ends_at > now_ms)
       END`;

export const leaseFunctions = [
  // Begins the epoch if there is none, and locks it. The absences of one before count as forgotten.
  `CREATE OR REPLACE FUNCTION rookery_lock_nodes(_node text, _lanes int) RETURNS rookery_node_epoch LANGUAGE plpgsql AS $$
   DECLARE
     epoch rookery_node_epoch;
   BEGIN
     INSERT INTO rookery_node_epoch AS e VALUES ('nodes', _node || ' ' || rookery_clock(), rookery_clock() / 1000, false)
     ON CONFLICT (name) DO UPDATE SET name = e.name RETURNING e.* INTO epoch;
     INSERT INTO rookery_lanes SELECT lane, rookery_clock(), rookery_clock() FROM generate_series(0, _lanes - 1) AS lane
     ON CONFLICT DO NOTHING;
     RETURN epoch;
   END $$`,
  // Answers the state of the lease before: `new`, `held` or `dying`, and whether there is a process to claim.
  `CREATE OR REPLACE FUNCTION rookery_renew_lease(_node text, _lanes int, _ms bigint, _about text, _epoch text,
     OUT state text, OUT alive int, OUT epoch text, OUT age_ms bigint, OUT is_next boolean, OUT has_dead boolean)
   LANGUAGE plpgsql AS $$
   DECLARE
     found_epoch rookery_node_epoch := rookery_lock_nodes(_node, _lanes);
     now_ms bigint := rookery_clock() / 1000;
     known rookery_nodes;
   BEGIN
     SELECT * INTO known FROM rookery_nodes n WHERE n.id = _node;
     IF EXISTS (SELECT FROM rookery_nodes n WHERE n.id = known.dying_by AND n.ends_at > now_ms) THEN
       state := 'dying';
       RETURN;
     END IF;
     SELECT count(*) + 1 INTO alive FROM rookery_nodes n WHERE n.id <> _node AND n.ends_at > now_ms AND n.dying_by IS NULL;
     INSERT INTO rookery_nodes VALUES (_node, now_ms + _ms, _about, NULL)
     ON CONFLICT (id) DO UPDATE SET ends_at = excluded.ends_at, about = excluded.about, dying_by = NULL;
     epoch := found_epoch.id;
     age_ms := now_ms - found_epoch.since;
     is_next := found_epoch.is_next OR (_epoch <> '' AND _epoch <> epoch);
     IF is_next <> found_epoch.is_next THEN
       UPDATE rookery_node_epoch e SET is_next = true;
     END IF;
     has_dead := EXISTS (SELECT FROM rookery_nodes d WHERE ${isDead});
     state := CASE WHEN known.id IS NULL OR known.dying_by IS NOT NULL THEN 'new' ELSE 'held' END;
   END $$`,
  `CREATE OR REPLACE FUNCTION rookery_claim_dead(_node text, _lanes int) RETURNS text LANGUAGE plpgsql AS $$
   DECLARE
     now_ms bigint := rookery_clock() / 1000;
     dead text;
   BEGIN
     PERFORM rookery_lock_nodes(_node, _lanes);
     UPDATE rookery_nodes n SET dying_by = _node WHERE n.id = (
       SELECT d.id FROM rookery_nodes d WHERE ${isDead} ORDER BY d.ends_at LIMIT 1)
     RETURNING n.id INTO dead;
     RETURN dead;
   END $$`,
];
