/**
 * Options of tables whose rows come and go with connections: few are alive, and many are dead soon. Autovacuum runs by
 * the number of dead ones, and without pauses.
 */
export const restless =
  'autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0';

/**
 * Shared state is spread over lanes, by a hash of the name of its channel. Every call locks the row of its lane until
 * its commit, and gets a version from it: calls on one channel are atomic, and greater versions are committed later.
 * Versions follow the clock, so after a failover they are greater than those that the new database has never seen.
 *
 * The tables are unlogged: leases rebuild them after a crash, which empties them. The rows of lanes are changed by every
 * call; most of a page stays free for their next versions, so they stay within it (HOT) and need no vacuum.
 */
export const laneTables = [
  `CREATE UNLOGGED TABLE IF NOT EXISTS rookery_lanes (
     lane int PRIMARY KEY, version bigint NOT NULL, forgotten bigint NOT NULL) WITH (fillfactor = 10)`,
  // Processes whose entries were removed: until they announce theirs, they are refused.
  `CREATE UNLOGGED TABLE IF NOT EXISTS rookery_gone_nodes (
     node_id text, lane int, at bigint NOT NULL, PRIMARY KEY (node_id, lane))`,
  // Vacated channels and absent members. A timely return cancels one that is not confirmed.
  `CREATE UNLOGGED TABLE IF NOT EXISTS rookery_absences (
     kind text, app_id text COLLATE "C", name text COLLATE "C", user_id text COLLATE "C", lane int NOT NULL,
     version bigint NOT NULL, node_id text NOT NULL, confirmed_by text, PRIMARY KEY (app_id, name, kind, user_id)
   ) WITH (${restless})`,
  'CREATE INDEX IF NOT EXISTS idx_rookery_absences_by_node ON rookery_absences (node_id, lane)',
  'CREATE INDEX IF NOT EXISTS idx_rookery_absences_by_version ON rookery_absences (version)',
  // Changes that a process is to announce, until its next call shows that it has the answer.
  `CREATE UNLOGGED TABLE IF NOT EXISTS rookery_unanswered (
     node_id text, lane int, stamp bigint NOT NULL, changes jsonb NOT NULL, PRIMARY KEY (node_id, lane))`,
];

export const laneFunctions = [
  `CREATE OR REPLACE FUNCTION rookery_clock() RETURNS bigint LANGUAGE sql VOLATILE AS $$
     SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint
   $$`,
  // Not in SQL: PostgreSQL would plan that with each call.
  `CREATE OR REPLACE FUNCTION rookery_next_version(_lane int, OUT version bigint) LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO rookery_lanes AS l (lane, version, forgotten) VALUES (_lane, rookery_clock(), 0)
     ON CONFLICT (lane) DO UPDATE SET version = greatest(rookery_clock(), l.version + 1) RETURNING l.version INTO version;
   END $$`,
  // Begins an absence, which belongs to a process.
  `CREATE OR REPLACE FUNCTION rookery_hold_back(_lane int, _kind text, _app text, _name text, _user text, _version bigint,
     _node text, _call text DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO rookery_absences (kind, app_id, name, user_id, lane, version, node_id, confirmed_by)
     VALUES (_kind, _app, _name, _user, _lane, _version, _node, _call)
     ON CONFLICT (app_id, name, kind, user_id) DO UPDATE
     SET version = excluded.version, node_id = excluded.node_id, confirmed_by = excluded.confirmed_by;
   END $$`,
  // Ends an absence. Answers its version if it was not confirmed.
  `CREATE OR REPLACE FUNCTION rookery_return(_kind text, _app text, _name text, _user text) RETURNS bigint
   LANGUAGE plpgsql AS $$
   DECLARE
     known rookery_absences;
   BEGIN
     DELETE FROM rookery_absences a
     WHERE a.app_id = _app AND a.name = _name AND a.kind = _kind AND a.user_id = _user RETURNING * INTO known;
     RETURN CASE WHEN known.confirmed_by IS NULL THEN known.version END;
   END $$`,
  // Whether an absence may be among those that were deleted, and lasts.
  `CREATE OR REPLACE FUNCTION rookery_is_forgotten(_lane int, _kind text, _app text, _name text, _user text,
     _version bigint) RETURNS boolean LANGUAGE sql STABLE AS $$
     SELECT EXISTS (SELECT FROM rookery_lanes l WHERE l.lane = _lane AND l.forgotten >= _version) AND CASE _kind
       WHEN 'channel' THEN NOT EXISTS (
         SELECT FROM rookery_channel_counts c WHERE c.app_id = _app AND c.channel = _name)
       ELSE NOT EXISTS (
         SELECT FROM rookery_present_users u WHERE u.app_id = _app AND u.name = _name AND u.user_id = _user)
     END
   $$`,
  `CREATE OR REPLACE FUNCTION rookery_holds(_lane int, _kind text, _app text, _name text, _user text, _version bigint,
     _node text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
   DECLARE
     known rookery_absences;
   BEGIN
     SELECT * INTO known FROM rookery_absences a
     WHERE a.app_id = _app AND a.name = _name AND a.kind = _kind AND a.user_id = _user;
     IF NOT FOUND THEN
       RETURN rookery_is_forgotten(_lane, _kind, _app, _name, _user, _version);
     END IF;
     RETURN known.version = _version AND known.node_id = _node AND known.confirmed_by IS NULL;
   END $$`,
  // Answers true to one call, also when that is repeated.
  `CREATE OR REPLACE FUNCTION rookery_confirm(_lane int, _kind text, _app text, _name text, _user text, _version bigint,
     _call text) RETURNS boolean LANGUAGE plpgsql AS $$
   DECLARE
     known rookery_absences;
     may boolean;
   BEGIN
     PERFORM rookery_next_version(_lane);
     SELECT * INTO known FROM rookery_absences a
     WHERE a.app_id = _app AND a.name = _name AND a.kind = _kind AND a.user_id = _user;
     may := CASE WHEN FOUND THEN known.version = _version AND coalesce(known.confirmed_by, _call) = _call
       ELSE rookery_is_forgotten(_lane, _kind, _app, _name, _user, _version) END;
     IF NOT may THEN
       RETURN false;
     END IF;
     PERFORM rookery_hold_back(_lane, _kind, _app, _name, _user, _version, '', _call);
     RETURN true;
   END $$`,
  // Begins an announcement: a process is no longer refused, or is from now on, and then its heir gets its absences.
  `CREATE OR REPLACE FUNCTION rookery_inherit(_lane int, _kind text, _node text, _heir text, _at bigint)
   RETURNS SETOF rookery_absences LANGUAGE plpgsql AS $$
   BEGIN
     IF _heir IS NULL THEN
       DELETE FROM rookery_gone_nodes g WHERE g.node_id = _node AND g.lane = _lane;
       RETURN;
     END IF;
     INSERT INTO rookery_gone_nodes VALUES (_node, _lane, _at) ON CONFLICT DO NOTHING;
     RETURN QUERY UPDATE rookery_absences a SET node_id = _heir
     WHERE a.node_id = _node AND a.lane = _lane AND a.kind = _kind AND a.confirmed_by IS NULL RETURNING a.*;
   END $$`,
  // Answers changes, with those of earlier calls whose answer the process lacks, and a stamp for its next call.
  `CREATE OR REPLACE FUNCTION rookery_answered(_node text, _lane int, _known bigint, _changes jsonb, _version bigint,
     OUT stamp bigint, OUT changes jsonb) LANGUAGE plpgsql AS $$
   BEGIN
     DELETE FROM rookery_unanswered u WHERE u.node_id = _node AND u.lane = _lane
     RETURNING u.stamp, u.changes INTO stamp, changes;
     changes := CASE WHEN stamp > _known THEN changes || _changes ELSE _changes END;
     stamp := _version;
     IF jsonb_array_length(changes) > 0 THEN
       INSERT INTO rookery_unanswered VALUES (_node, _lane, stamp, changes);
     END IF;
   END $$`,
  // Deletes the absences of a lane before a version, and notes that.
  `CREATE OR REPLACE FUNCTION rookery_forget(_lane int, _before bigint) RETURNS void LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM rookery_next_version(_lane);
     WITH old AS (DELETE FROM rookery_absences a WHERE a.lane = _lane AND a.version < _before RETURNING a.version)
     UPDATE rookery_lanes l SET forgotten = greatest(l.forgotten, (SELECT max(old.version) FROM old))
     WHERE l.lane = _lane;
   END $$`,
];
