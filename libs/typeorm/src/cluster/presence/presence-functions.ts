import { restless } from '../shared/lane-functions.js';

/** The tables of members and users; see `lane-functions.ts`. */
export const presenceTables = [
  `CREATE UNLOGGED TABLE IF NOT EXISTS rookery_present_users (
     app_id text COLLATE "C", name text COLLATE "C", user_id text COLLATE "C", since bigint NOT NULL,
     connections int NOT NULL, info text, info_since bigint NOT NULL, PRIMARY KEY (app_id, name, user_id)
   ) WITH (fillfactor = 70, ${restless})`,
  // One that has left stays for a minute, to answer a repeated call. `first`: 1 if it was the user's first connection, 2
  // if the user returned with it, otherwise 0.
  `CREATE UNLOGGED TABLE IF NOT EXISTS rookery_present_connections (
     app_id text COLLATE "C", name text COLLATE "C", connection_id text COLLATE "C", node_id text COLLATE "C" NOT NULL,
     lane int NOT NULL, user_id text NOT NULL, first int NOT NULL, version bigint NOT NULL, left_at bigint,
     was_last boolean, PRIMARY KEY (app_id, name, connection_id)
   ) WITH (fillfactor = 70, ${restless})`,
  `CREATE INDEX IF NOT EXISTS idx_rookery_present_connections_by_lane ON rookery_present_connections (node_id, lane)
   WHERE left_at IS NULL`,
  `CREATE INDEX IF NOT EXISTS idx_rookery_present_connections_left ON rookery_present_connections (left_at)
   WHERE left_at IS NOT NULL`,
];

export const presenceFunctions = [
  `CREATE OR REPLACE FUNCTION rookery_enter(_lane int, _app text, _name text, _connection text, _node text, _user text,
     _info text, _limit int, _version bigint,
     OUT is_in boolean, OUT first int, OUT version bigint, OUT previous bigint, OUT is_new boolean)
   LANGUAGE plpgsql AS $$
   BEGIN
     SELECT c.first, c.version INTO first, version FROM rookery_present_connections c
     WHERE c.app_id = _app AND c.name = _name AND c.connection_id = _connection AND c.left_at IS NULL;
     is_in := FOUND;
     is_new := false;
     IF is_in THEN
       RETURN;
     END IF;
     UPDATE rookery_present_users u SET connections = u.connections + 1
     WHERE u.app_id = _app AND u.name = _name AND u.user_id = _user;
     first := 0;
     IF NOT FOUND THEN
       IF (SELECT count(*) FROM (SELECT FROM rookery_present_users u WHERE u.app_id = _app AND u.name = _name
         LIMIT _limit) AS others) >= _limit THEN
         RETURN;
       END IF;
       INSERT INTO rookery_present_users VALUES (_app, _name, _user, _version, 1, _info, _version);
       previous := rookery_return('member', _app, _name, _user);
       first := CASE WHEN previous IS NULL THEN 1 ELSE 2 END;
     END IF;
     is_in := true;
     is_new := true;
     version := _version;
     INSERT INTO rookery_present_connections
     VALUES (_app, _name, _connection, _node, _lane, _user, first, _version, NULL, NULL)
     ON CONFLICT (app_id, name, connection_id) DO UPDATE SET node_id = excluded.node_id, user_id = excluded.user_id,
       first = excluded.first, version = excluded.version, left_at = NULL, was_last = NULL;
   END $$`,
  `CREATE OR REPLACE FUNCTION rookery_exit(_lane int, _app text, _name text, _connection text, _holder text,
     _version bigint, OUT user_id text, OUT was_last boolean, OUT since bigint, OUT info text) LANGUAGE plpgsql AS $$
   DECLARE
     _user text;
     _is_last boolean;
   BEGIN
     SELECT c.user_id INTO _user FROM rookery_present_connections c
     WHERE c.app_id = _app AND c.name = _name AND c.connection_id = _connection AND c.left_at IS NULL;
     IF NOT FOUND THEN
       RETURN;
     END IF;
     DELETE FROM rookery_present_users u
     WHERE u.app_id = _app AND u.name = _name AND u.user_id = _user AND u.connections = 1
     RETURNING u.since, u.info INTO since, info;
     _is_last := FOUND;
     user_id := _user;
     was_last := _is_last;
     IF _is_last THEN
       PERFORM rookery_hold_back(_lane, 'member', _app, _name, _user, _version, _holder);
     ELSE
       UPDATE rookery_present_users u SET connections = u.connections - 1
       WHERE u.app_id = _app AND u.name = _name AND u.user_id = _user RETURNING u.info INTO info;
     END IF;
     UPDATE rookery_present_connections c SET left_at = _version, was_last = _is_last
     WHERE c.app_id = _app AND c.name = _name AND c.connection_id = _connection;
   END $$`,
  `CREATE OR REPLACE FUNCTION rookery_join(_lane int, _app text, _name text, _connection text, _node text, _user text,
     _info text, _limit int, OUT is_gone boolean, OUT is_in boolean, OUT first int, OUT version bigint,
     OUT previous bigint) LANGUAGE plpgsql AS $$
   DECLARE
     at bigint := rookery_next_version(_lane);
   BEGIN
     is_gone := EXISTS (SELECT FROM rookery_gone_nodes g WHERE g.node_id = _node AND g.lane = _lane);
     IF NOT is_gone THEN
       SELECT e.is_in, e.first, e.version, e.previous INTO is_in, first, version, previous
       FROM rookery_enter(_lane, _app, _name, _connection, _node, _user, _info, _limit, at) e;
     END IF;
   END $$`,
  `CREATE OR REPLACE FUNCTION rookery_leave(_lane int, _app text, _name text, _connection text, _node text,
     OUT user_id text, OUT was_last boolean, OUT version bigint, OUT since bigint) LANGUAGE plpgsql AS $$
   BEGIN
     version := rookery_next_version(_lane);
     SELECT e.user_id, e.was_last, e.since INTO user_id, was_last, since
     FROM rookery_exit(_lane, _app, _name, _connection, _node, version) e;
     IF user_id IS NULL THEN
       SELECT c.user_id, c.was_last, c.left_at INTO user_id, was_last, version FROM rookery_present_connections c
       WHERE c.app_id = _app AND c.name = _name AND c.connection_id = _connection;
     END IF;
   END $$`,
  `CREATE OR REPLACE FUNCTION rookery_update_member(_lane int, _app text, _name text, _user text, _info text,
     OUT version bigint) LANGUAGE plpgsql AS $$
   BEGIN
     version := rookery_next_version(_lane);
     UPDATE rookery_present_users u SET info = _info, info_since = version
     WHERE u.app_id = _app AND u.name = _name AND u.user_id = _user;
     IF NOT FOUND THEN
       version := NULL;
     END IF;
   END $$`,
  // Sets what a process holds on a lane. A dead one has an heir.
  `CREATE OR REPLACE FUNCTION rookery_announce_members(_lane int, _node text, _heir text, _known bigint, _apps text[],
     _names text[], _connections text[], _users text[], _infos text[], OUT stamp bigint, OUT changes jsonb)
   LANGUAGE plpgsql AS $$
   DECLARE
     at bigint := rookery_next_version(_lane);
     holder text := coalesce(_heir, _node);
     held record;
     done record;
   BEGIN
     changes := '[]';
     FOR held IN SELECT * FROM rookery_inherit(_lane, 'member', _node, _heir, at)
     LOOP
       changes := changes || jsonb_build_object('app_id', held.app_id, 'name', held.name, 'user_id', held.user_id,
         'first', 0, 'version', held.version);
     END LOOP;
     FOR held IN SELECT c.app_id, c.name, c.connection_id FROM rookery_present_connections c
       WHERE c.node_id = _node AND c.lane = _lane AND c.left_at IS NULL AND NOT EXISTS (
         SELECT FROM unnest(_apps, _names, _connections) AS w(app_id, name, id)
         WHERE w.app_id = c.app_id AND w.name = c.name AND w.id = c.connection_id)
     LOOP
       at := at + 1;
       SELECT * INTO done FROM rookery_exit(_lane, held.app_id, held.name, held.connection_id, holder, at);
       IF done.was_last THEN
         changes := changes || jsonb_build_object('app_id', held.app_id, 'name', held.name, 'user_id', done.user_id,
           'info', done.info, 'first', 0, 'version', at, 'previous', done.since);
       END IF;
     END LOOP;
     FOR held IN SELECT * FROM unnest(_apps, _names, _connections, _users, _infos)
       AS w(app_id, name, connection_id, user_id, info)
     LOOP
       at := at + 1;
       SELECT * INTO done FROM rookery_enter(
         _lane, held.app_id, held.name, held.connection_id, _node, held.user_id, held.info, NULL, at);
       IF done.is_new AND done.first > 0 THEN
         changes := changes || jsonb_build_object('app_id', held.app_id, 'name', held.name, 'user_id', held.user_id,
           'info', held.info, 'first', done.first, 'version', at, 'previous', done.previous);
       END IF;
     END LOOP;
     UPDATE rookery_lanes l SET version = at WHERE l.lane = _lane;
     SELECT a.stamp, a.changes INTO stamp, changes FROM rookery_answered(holder, _lane, _known, changes, at) a;
   END $$`,
];
