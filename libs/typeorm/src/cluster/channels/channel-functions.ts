import { restless } from '../shared/lane-functions.js';

/** The tables of channels and connections; see `lane-functions.ts`. */
export const channelTables = [
  `CREATE UNLOGGED TABLE IF NOT EXISTS rookery_channel_counts (
     app_id text COLLATE "C", channel text COLLATE "C", count int NOT NULL, PRIMARY KEY (app_id, channel)
   ) WITH (fillfactor = 50, ${restless})`,
  // Each process's connections on each channel. One that it has vacated stays for a minute, to answer a repeated call.
  // No index has the count, so a row whose count changes stays within its page (HOT).
  `CREATE UNLOGGED TABLE IF NOT EXISTS rookery_channel_holders (
     node_id text COLLATE "C", app_id text COLLATE "C", channel text COLLATE "C", lane int NOT NULL,
     connections int NOT NULL, changed_at bigint, is_return boolean, vacated_at bigint,
     PRIMARY KEY (node_id, app_id, channel)) WITH (fillfactor = 50, ${restless})`,
  'CREATE INDEX IF NOT EXISTS idx_rookery_channel_holders_by_lane ON rookery_channel_holders (node_id, lane)',
  `CREATE INDEX IF NOT EXISTS idx_rookery_channel_holders_vacated ON rookery_channel_holders (vacated_at)
   WHERE vacated_at IS NOT NULL`,
  `CREATE UNLOGGED TABLE IF NOT EXISTS rookery_admitted (
     app_id text COLLATE "C", connection_id text COLLATE "C", node_id text NOT NULL, lane int NOT NULL,
     PRIMARY KEY (app_id, connection_id)) WITH (${restless})`,
  'CREATE INDEX IF NOT EXISTS idx_rookery_admitted_by_lane ON rookery_admitted (lane, node_id)',
  `CREATE UNLOGGED TABLE IF NOT EXISTS rookery_admitted_counts (
     app_id text COLLATE "C" PRIMARY KEY, lane int NOT NULL, count int NOT NULL) WITH (fillfactor = 10)`,
];

export const channelFunctions = [
  `CREATE OR REPLACE FUNCTION rookery_hold(_lane int, _app text, _channel text, _node text, _connections int,
     _holder text, _version bigint,
     OUT count int, OUT changed_at bigint, OUT is_return boolean, OUT is_new boolean) LANGUAGE plpgsql AS $$
   DECLARE
     held rookery_channel_holders;
     total int;
   BEGIN
     SELECT * INTO held FROM rookery_channel_holders h
     WHERE h.node_id = _node AND h.app_id = _app AND h.channel = _channel;
     SELECT c.count INTO total FROM rookery_channel_counts c WHERE c.app_id = _app AND c.channel = _channel;
     total := coalesce(total, 0);
     count := total + _connections - coalesce(held.connections, 0);
     is_new := count <> total;
     IF NOT is_new THEN
       changed_at := held.changed_at;
       is_return := held.is_return;
       RETURN;
     END IF;
     IF count > 0 THEN
       INSERT INTO rookery_channel_counts AS c (app_id, channel, count) VALUES (_app, _channel, count)
       ON CONFLICT (app_id, channel) DO UPDATE SET count = excluded.count;
     ELSE
       DELETE FROM rookery_channel_counts c WHERE c.app_id = _app AND c.channel = _channel;
     END IF;
     IF (total > 0) <> (count > 0) THEN
       changed_at := _version;
       IF count > 0 THEN
         is_return := rookery_return('channel', _app, _channel, '') IS NOT NULL;
       ELSE
         PERFORM rookery_hold_back(_lane, 'channel', _app, _channel, '', _version, _holder);
       END IF;
     END IF;
     IF _connections = 0 AND changed_at IS NULL THEN
       DELETE FROM rookery_channel_holders h WHERE h.node_id = _node AND h.app_id = _app AND h.channel = _channel;
     ELSE
       INSERT INTO rookery_channel_holders AS h
       VALUES (_node, _app, _channel, _lane, _connections, changed_at, is_return,
         CASE WHEN _connections = 0 THEN changed_at END)
       ON CONFLICT (node_id, app_id, channel) DO UPDATE SET connections = excluded.connections,
         changed_at = excluded.changed_at, is_return = excluded.is_return, vacated_at = excluded.vacated_at;
     END IF;
   END $$`,
  `CREATE OR REPLACE FUNCTION rookery_occupy(_lane int, _app text, _channel text, _node text, _connections int,
     OUT is_gone boolean, OUT version bigint, OUT count int, OUT changed_at bigint, OUT is_return boolean)
   LANGUAGE plpgsql AS $$
   BEGIN
     version := rookery_next_version(_lane);
     is_gone := EXISTS (SELECT FROM rookery_gone_nodes g WHERE g.node_id = _node AND g.lane = _lane);
     IF NOT is_gone THEN
       SELECT h.count, h.changed_at, h.is_return INTO count, changed_at, is_return
       FROM rookery_hold(_lane, _app, _channel, _node, _connections, _node, version) h;
     END IF;
   END $$`,
  // Without a limit, it is null.
  `CREATE OR REPLACE FUNCTION rookery_admit(_lane int, _app text, _node text, _connection text, _limit int,
     OUT is_gone boolean, OUT is_in boolean) LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM rookery_next_version(_lane);
     is_gone := EXISTS (SELECT FROM rookery_gone_nodes g WHERE g.node_id = _node AND g.lane = _lane);
     is_in := EXISTS (SELECT FROM rookery_admitted a WHERE a.app_id = _app AND a.connection_id = _connection);
     IF is_gone OR is_in THEN
       RETURN;
     END IF;
     is_in := NOT EXISTS (SELECT FROM rookery_admitted_counts c WHERE c.app_id = _app AND c.count >= _limit)
       AND coalesce(_limit, 1) > 0;
     IF is_in THEN
       INSERT INTO rookery_admitted VALUES (_app, _connection, _node, _lane);
       INSERT INTO rookery_admitted_counts AS c VALUES (_app, _lane, 1)
       ON CONFLICT (app_id) DO UPDATE SET count = c.count + 1;
     END IF;
   END $$`,
  `CREATE OR REPLACE FUNCTION rookery_dismiss(_lane int, _app text, _connection text) RETURNS void LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM rookery_next_version(_lane);
     DELETE FROM rookery_admitted a WHERE a.app_id = _app AND a.connection_id = _connection;
     IF FOUND THEN
       UPDATE rookery_admitted_counts c SET count = c.count - 1 WHERE c.app_id = _app;
     END IF;
   END $$`,
  // All connections of an app are on one lane.
  `CREATE OR REPLACE FUNCTION rookery_set_admitted(_lane int, _node text, _apps text[], _connections text[])
   RETURNS void LANGUAGE plpgsql AS $$
   BEGIN
     DELETE FROM rookery_admitted a WHERE a.node_id = _node AND a.lane = _lane;
     IF NOT FOUND AND cardinality(_apps) = 0 THEN
       RETURN;
     END IF;
     INSERT INTO rookery_admitted SELECT w.app_id, w.id, _node, _lane FROM unnest(_apps, _connections) AS w(app_id, id)
     ON CONFLICT (app_id, connection_id) DO UPDATE SET node_id = excluded.node_id;
     DELETE FROM rookery_admitted_counts c WHERE c.lane = _lane;
     INSERT INTO rookery_admitted_counts
     SELECT a.app_id, _lane, count(*) FROM rookery_admitted a WHERE a.lane = _lane GROUP BY a.app_id;
   END $$`,
  // Sets what a process holds on a lane. A dead one has an heir.
  `CREATE OR REPLACE FUNCTION rookery_announce_channels(_lane int, _node text, _heir text, _known bigint, _apps text[],
     _channels text[], _connections int[], _admitted_apps text[], _admitted text[], OUT stamp bigint, OUT changes jsonb)
   LANGUAGE plpgsql AS $$
   DECLARE
     at bigint := rookery_next_version(_lane);
     holder text := coalesce(_heir, _node);
     held record;
     now_held record;
   BEGIN
     changes := '[]';
     FOR held IN SELECT * FROM rookery_inherit(_lane, 'channel', _node, _heir, at)
     LOOP
       changes := changes || jsonb_build_object('app_id', held.app_id, 'channel', held.name, 'connections', 0,
         'count', 0, 'version', held.version, 'changed_at', held.version);
     END LOOP;
     FOR held IN
       SELECT h.app_id, h.channel, 0 AS connections FROM rookery_channel_holders h
       WHERE h.node_id = _node AND h.lane = _lane AND h.connections > 0 AND NOT EXISTS (
         SELECT FROM unnest(_apps, _channels) AS w(app_id, channel)
         WHERE w.app_id = h.app_id AND w.channel = h.channel)
       UNION ALL SELECT * FROM unnest(_apps, _channels, _connections)
     LOOP
       at := at + 1;
       SELECT * INTO now_held
       FROM rookery_hold(_lane, held.app_id, held.channel, _node, held.connections, holder, at);
       IF now_held.is_new THEN
         changes := changes || jsonb_build_object('app_id', held.app_id, 'channel', held.channel,
           'connections', held.connections, 'count', now_held.count, 'version', at,
           'changed_at', now_held.changed_at, 'is_return', now_held.is_return);
       END IF;
     END LOOP;
     PERFORM rookery_set_admitted(_lane, _node, _admitted_apps, _admitted);
     UPDATE rookery_lanes l SET version = at WHERE l.lane = _lane;
     SELECT a.stamp, a.changes INTO stamp, changes FROM rookery_answered(holder, _lane, _known, changes, at) a;
   END $$`,
];
