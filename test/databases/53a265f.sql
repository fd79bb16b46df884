SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE FUNCTION public.rookery_check_audience(field text, names text[]) RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
  most int := CASE field WHEN 'users' THEN 1000 ELSE 100 END;
  wrong text := CASE
    WHEN names IS NULL THEN format('`%s`: %s is required', field, field)
    WHEN cardinality(names) = 0 THEN format('`%s`: Array must have at least 1 items', field)
    WHEN cardinality(names) > most THEN format('`%s`: Array must have at most %s items', field, most)
  END;
BEGIN
  wrong := coalesce(wrong, (
    SELECT format('`%s.%s`: ', field, n - 1) || CASE
      WHEN name IS NULL THEN 'Invalid type. Expected: string, given: null'
      WHEN name = '' AND field = 'users' THEN 'String length must be greater than or equal to 1'
      WHEN octet_length(name) > 164 THEN 'String length must be less than or equal to 164'
      ELSE 'Does not match pattern ''^[a-zA-Z0-9_\-=@,.;]+$'''
    END
    FROM unnest(names) WITH ORDINALITY AS given(name, n)
    WHERE name IS NULL OR name = '' OR octet_length(name) > 164 OR (field = 'interests' AND name !~ '^[a-zA-Z0-9_=@,.;-]+$')
    ORDER BY n LIMIT 1
  ));
  IF wrong IS NULL AND (SELECT count(DISTINCT name) < count(*) FROM unnest(names) AS given(name)) THEN
    wrong := format('`%s`: array items must be unique', field);
  END IF;
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION USING MESSAGE = wrong, ERRCODE = 'invalid_parameter_value';
  END IF;
END $_$;
CREATE FUNCTION public.rookery_check_publish(body jsonb, field text) RETURNS void
    LANGUAGE plpgsql
    AS $_$
DECLARE
  wrong text := CASE
    WHEN body IS NULL OR jsonb_typeof(body) <> 'object'
      THEN format('`(root)`: Invalid type. Expected: object, given: %s', coalesce(jsonb_typeof(body), 'null'))
    WHEN NOT body ?| ARRAY['apns', 'fcm', 'web'] THEN '`(root)`: Must validate at least one schema (anyOf)'
    WHEN octet_length(body::text) > CASE field WHEN 'users' THEN 204800 ELSE 10240 END 
      THEN format('Request body size is too large (max %sKiB).', CASE field WHEN 'users' THEN 200 ELSE 10 END)
  END;
BEGIN
  -- What is known of a body, and of which type it is; the gateways have more fields, which pass through.
  wrong := coalesce(wrong, (
    SELECT format('`%s`: ', array_to_string(path, '.')) || CASE
      WHEN given <> type THEN format('Invalid type. Expected: %s, given: %s', type, given)
      WHEN (value #>> '{}')::numeric < least THEN format('Must be greater than or equal to %s', least)
      ELSE format('Must be less than or equal to %s', most)
    END
    FROM (
      SELECT path, type, least, most, body #> path AS value, CASE
        WHEN jsonb_typeof(body #> path) <> 'number' THEN jsonb_typeof(body #> path)
        WHEN (body #>> path)::numeric % 1 = 0 THEN 'integer'
        ELSE 'number'
      END AS given
      FROM (VALUES
        (1, '{webhookUrl}'::text[], 'string', NULL::bigint, NULL::bigint),
        (2, '{apns}', 'object', NULL, NULL),
        (3, '{apns,aps}', 'object', NULL, NULL),
        (4, '{apns,data}', 'object', NULL, NULL),
        (5, '{apns,collapse_id}', 'string', NULL, NULL),
        (6, '{apns,expiration}', 'integer', 0, 9007199254740991),
        (7, '{apns,pusher}', 'object', NULL, NULL),
        (8, '{apns,pusher,disable_delivery_tracking}', 'boolean', NULL, NULL),
        (9, '{fcm}', 'object', NULL, NULL),
        (10, '{fcm,notification}', 'object', NULL, NULL),
        (11, '{fcm,data}', 'object', NULL, NULL),
        (12, '{fcm,time_to_live}', 'integer', 0, 2419200),
        (13, '{fcm,collapse_key}', 'string', NULL, NULL),
        (14, '{fcm,priority}', 'string', NULL, NULL),
        (15, '{web}', 'object', NULL, NULL),
        (16, '{web,notification}', 'object', NULL, NULL),
        (17, '{web,notification,title}', 'string', NULL, NULL),
        (18, '{web,notification,body}', 'string', NULL, NULL),
        (19, '{web,notification,icon}', 'string', NULL, NULL),
        (20, '{web,notification,deep_link}', 'string', NULL, NULL),
        (21, '{web,notification,hide_notification_if_site_has_focus}', 'boolean', NULL, NULL),
        (22, '{web,data}', 'object', NULL, NULL),
        (23, '{web,time_to_live}', 'integer', 0, 2419200)
      ) AS known(n, path, type, least, most)
      WHERE body #> path IS NOT NULL
      ORDER BY n
    ) AS fields
    WHERE given <> type OR (type = 'integer' AND (value #>> '{}')::numeric NOT BETWEEN least AND most)
    LIMIT 1
  ));
  wrong := coalesce(wrong, CASE
    WHEN body ->> 'webhookUrl' !~* '^https?://[^[:space:]/?#]+' THEN '`webhookUrl`: Does not match format ''uri'''
    WHEN octet_length(body #>> '{apns,collapse_id}') > 64 THEN '`apns.collapse_id`: String length must be less than or equal to 64'
    WHEN body #> '{apns,priority}' NOT IN ('1', '5', '10')
      THEN '`apns.priority`: apns.priority must be one of the following: 1, 5, 10'
    WHEN body #> '{apns,push_type}' NOT IN ('"alert"', '"background"', '"complication"', '"controls"', '"fileprovider"',
        '"liveactivity"', '"location"', '"pushtotalk"', '"voip"', '"widgets"')
      THEN '`apns.push_type`: apns.push_type must be one of the following: "alert", "background", "complication", "controls", '
        || '"fileprovider", "liveactivity", "location", "pushtotalk", "voip", "widgets"'
    WHEN body #> '{web,data,pusher}' IS NOT NULL THEN '`web.data.pusher`: Additional property pusher is not allowed'
  END);
  wrong := coalesce(wrong, (
    SELECT format('`%s`: Must not be nested deeper than 100 levels', platform)
    FROM unnest(ARRAY['apns', 'fcm', 'web']) AS platform
    WHERE jsonb_path_exists(body -> platform, 'strict $.**{100 to last} ? (@.type() == "object" || @.type() == "array")')
    LIMIT 1
  ));
  wrong := coalesce(wrong, (
    SELECT format('`%s`: Additional property %s is not allowed', key, key) FROM jsonb_object_keys(body) AS key
    WHERE key NOT IN ('webhookUrl', 'apns', 'fcm', 'web') ORDER BY key LIMIT 1
  ));
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION USING MESSAGE = wrong, ERRCODE = 'invalid_parameter_value';
  END IF;
END $_$;
CREATE FUNCTION public.rookery_keep_publish(instance text, field text, names text[], body jsonb, publish_at timestamp with time zone) RETURNS text
    LANGUAGE plpgsql
    AS $_$
DECLARE
  id text := 'pubid-' || gen_random_uuid();
  now bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
  at bigint := floor(extract(epoch FROM publish_at) * 1000);
BEGIN
  IF instance IS NULL OR instance !~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'The instance id given is invalid. '
      || 'It is expected to be in this format: xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx';
  END IF;
  PERFORM "public".rookery_check_audience(field, names);
  PERFORM "public".rookery_check_publish(body, field);
  IF at > now + 2419200000 THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = '`Publish-At` must be at most 28 days ahead.';
  END IF;
  IF at <= now THEN
    at := NULL;
  END IF;
  INSERT INTO "public".rookery_publishes (id, instance_id, body, created_at, due_at) VALUES (id, instance, (
    jsonb_build_object('audience', jsonb_build_object(field, names), 'payloads', body - 'webhookUrl')
      || CASE WHEN body ? 'webhookUrl' THEN jsonb_build_object('webhookUrl', body -> 'webhookUrl') ELSE '{}' END
      || CASE WHEN at IS NOT NULL THEN jsonb_build_object('publishAt', at) ELSE '{}' END
  )::text, now, coalesce(at, now));
  IF at IS NULL THEN
    PERFORM pg_notify('rookery' || '_publishes_due', '');
  END IF;
  RETURN id;
END $_$;
CREATE FUNCTION public.rookery_place_triggers() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM FROM "public".rookery_triggers t WHERE t.id = NEW.id AND t.position < 0;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  PERFORM pg_advisory_xact_lock(7665540, lanes.lane) FROM (
    SELECT DISTINCT hashtext(t.app_id || ' ' || t.channel) & 63 AS lane
    FROM "public".rookery_triggers t WHERE t.position < 0 ORDER BY lane
  ) lanes;
  UPDATE "public".rookery_triggers t SET position = placed.position FROM (
    SELECT waiting.id, nextval('"public".rookery_trigger_positions') AS position FROM (
      SELECT w.id FROM "public".rookery_triggers w WHERE w.position < 0 ORDER BY w.position DESC
    ) waiting
  ) placed WHERE t.id = placed.id;
  RETURN NULL;
END $$;
CREATE FUNCTION public.rookery_publish(instance text, interests text[], body jsonb, publish_at timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS text
    LANGUAGE sql
    AS $$
  SELECT "public".rookery_keep_publish(instance, 'interests', interests, body, publish_at)
$$;
CREATE FUNCTION public.rookery_publish_to_users(instance text, users text[], body jsonb, publish_at timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS text
    LANGUAGE sql
    AS $$
  SELECT "public".rookery_keep_publish(instance, 'users', users, body, publish_at)
$$;
CREATE FUNCTION public.rookery_trigger(app text, channel text, event text, data jsonb, socket_id text DEFAULT NULL::text) RETURNS text
    LANGUAGE sql
    AS $$
  SELECT "public".rookery_trigger(app, channel, event,
    CASE jsonb_typeof(data) WHEN 'string' THEN data #>> '{}' WHEN 'null' THEN NULL ELSE data::text END, socket_id)
$$;
CREATE FUNCTION public.rookery_trigger(app text, channel text, event text, data text, socket_id text DEFAULT NULL::text) RETURNS text
    LANGUAGE plpgsql
    AS $_$
DECLARE
  id text := gen_random_uuid();
  wrong text := CASE
    WHEN app IS NULL THEN 'Missing required parameter: app'
    WHEN channel IS NULL THEN 'Missing required parameter: channel'
    WHEN NOT CASE
      WHEN starts_with(channel, '#server-to-user-') THEN char_length(channel) BETWEEN 17 AND 16 + 128
      ELSE char_length(channel) <= 200 AND channel ~ '^[A-Za-z0-9_=@,.;-]+$'
    END THEN format('Invalid channel name: ''%s''', CASE WHEN char_length(channel) > 60 THEN left(channel, 60) || '…' ELSE channel END)
    WHEN event IS NULL THEN 'Missing required parameter: name'
    WHEN event = '' THEN 'name must be a text that is not empty'
    WHEN char_length(event) > 200 THEN 'Event name is longer than 200 characters'
    WHEN event ~ '^pusher(_internal)?:' THEN format(
      'Event name ''%s'' is reserved: it begins with pusher: or pusher_internal:',
      CASE WHEN char_length(event) > 60 THEN left(event, 60) || '…' ELSE event END)
    WHEN data IS NULL THEN 'Missing required parameter: data'
    WHEN socket_id !~ '^[0-9]+[.][0-9]+$' OR char_length(socket_id) > 64 THEN format('Invalid socket id: ''%s''', left(socket_id, 60))
    WHEN octet_length(data) > 10240 THEN 'The data content of this event exceeds the allowed maximum (10240 bytes). '
      || 'See https://pusher.com/docs/channels/server_api/http-api#publishing-events for more info'
  END;
BEGIN
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION USING MESSAGE = wrong, ERRCODE = 'invalid_parameter_value';
  END IF;
  INSERT INTO "public".rookery_triggers (id, position, app_id, channel, name, data, socket_id, created_at)
  VALUES (id, -nextval('"public".rookery_trigger_positions'), app, channel, event, data, socket_id,
    floor(extract(epoch FROM clock_timestamp()) * 1000));
  PERFORM pg_notify('rookery' || '_triggers_due', '');
  RETURN id;
END $_$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.rookery_app_keys (
    key text NOT NULL COLLATE pg_catalog."C",
    app_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.rookery_apps (
    id text NOT NULL COLLATE pg_catalog."C",
    key text NOT NULL COLLATE pg_catalog."C",
    settings text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.rookery_dead_webhooks (
    id text NOT NULL COLLATE pg_catalog."C",
    queue text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    place text NOT NULL COLLATE pg_catalog."C",
    died_at bigint NOT NULL,
    reason text NOT NULL COLLATE pg_catalog."C",
    delivery text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.rookery_device_interests (
    instance_id text NOT NULL COLLATE pg_catalog."C",
    interest text NOT NULL COLLATE pg_catalog."C",
    device_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.rookery_devices (
    id text NOT NULL COLLATE pg_catalog."C",
    instance_id text NOT NULL COLLATE pg_catalog."C",
    platform text NOT NULL COLLATE pg_catalog."C",
    token text NOT NULL COLLATE pg_catalog."C",
    token_hash text NOT NULL COLLATE pg_catalog."C",
    bundle_identifier text COLLATE pg_catalog."C",
    user_id text COLLATE pg_catalog."C",
    metadata text NOT NULL COLLATE pg_catalog."C",
    registered_at bigint NOT NULL,
    seen_at bigint
);
CREATE TABLE public.rookery_gateway_answers (
    instance_id text NOT NULL COLLATE pg_catalog."C",
    platform text NOT NULL COLLATE pg_catalog."C",
    answered_at bigint NOT NULL,
    sent bigint NOT NULL,
    gone bigint NOT NULL
);
CREATE TABLE public.rookery_gone_devices (
    instance_id text NOT NULL COLLATE pg_catalog."C",
    platform text NOT NULL COLLATE pg_catalog."C",
    device_id text NOT NULL COLLATE pg_catalog."C",
    registered_until bigint NOT NULL,
    publish_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.rookery_instances (
    id text NOT NULL COLLATE pg_catalog."C",
    settings text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.rookery_migrations (
    name text NOT NULL,
    applied_at text NOT NULL
);
CREATE TABLE public.rookery_notifications (
    id text NOT NULL COLLATE pg_catalog."C",
    app_id text NOT NULL COLLATE pg_catalog."C",
    user_id text NOT NULL COLLATE pg_catalog."C",
    event_name text NOT NULL COLLATE pg_catalog."C",
    event_data text NOT NULL COLLATE pg_catalog."C",
    push text COLLATE pg_catalog."C",
    collapse_key text COLLATE pg_catalog."C",
    quiet_hours text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    push_at bigint,
    due_at bigint,
    owner text COLLATE pg_catalog."C",
    shown_at bigint,
    pushed_at bigint,
    publish_id text COLLATE pg_catalog."C",
    skipped_at bigint,
    read_at bigint,
    withdrawn_at bigint
);
CREATE TABLE public.rookery_publish_deletions (
    publish_id text NOT NULL COLLATE pg_catalog."C",
    platform text NOT NULL COLLATE pg_catalog."C",
    instance_id text NOT NULL COLLATE pg_catalog."C",
    held bigint NOT NULL,
    removed bigint NOT NULL
);
CREATE TABLE public.rookery_publish_keys (
    instance_id text NOT NULL COLLATE pg_catalog."C",
    once_key text NOT NULL COLLATE pg_catalog."C",
    fingerprint text NOT NULL COLLATE pg_catalog."C",
    publish_id text NOT NULL COLLATE pg_catalog."C",
    expires_at bigint NOT NULL
);
CREATE TABLE public.rookery_publish_lanes (
    publish_id text NOT NULL COLLATE pg_catalog."C",
    platform text NOT NULL COLLATE pg_catalog."C",
    state text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.rookery_publish_later_outcomes (
    publish_id text NOT NULL COLLATE pg_catalog."C",
    device_id text NOT NULL COLLATE pg_catalog."C",
    saved_at bigint NOT NULL,
    outcome text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.rookery_publish_outcomes (
    publish_id text NOT NULL COLLATE pg_catalog."C",
    last_id text NOT NULL COLLATE pg_catalog."C",
    saved_at bigint NOT NULL,
    devices text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.rookery_publish_ranges (
    publish_id text NOT NULL COLLATE pg_catalog."C",
    lane text NOT NULL COLLATE pg_catalog."C",
    due_at bigint NOT NULL,
    owner text COLLATE pg_catalog."C"
);
CREATE TABLE public.rookery_publish_rates (
    instance_id text NOT NULL COLLATE pg_catalog."C",
    free_at bigint NOT NULL
);
CREATE TABLE public.rookery_publish_retries (
    publish_id text NOT NULL COLLATE pg_catalog."C",
    platform text NOT NULL COLLATE pg_catalog."C",
    device_id text NOT NULL COLLATE pg_catalog."C",
    attempts bigint NOT NULL,
    due_at bigint NOT NULL
);
CREATE TABLE public.rookery_publishes (
    id text NOT NULL COLLATE pg_catalog."C",
    instance_id text NOT NULL COLLATE pg_catalog."C",
    body text NOT NULL COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    due_at bigint,
    owner text COLLATE pg_catalog."C",
    finished_at bigint,
    cancelled_at bigint,
    wanted_at bigint
);
CREATE TABLE public.rookery_report_counts (
    publish_id text NOT NULL COLLATE pg_catalog."C",
    platform text NOT NULL COLLATE pg_catalog."C",
    event text NOT NULL COLLATE pg_catalog."C",
    part bigint NOT NULL,
    count bigint NOT NULL
);
CREATE TABLE public.rookery_reports (
    publish_id text NOT NULL COLLATE pg_catalog."C",
    platform text NOT NULL COLLATE pg_catalog."C",
    event text NOT NULL COLLATE pg_catalog."C",
    device_id text NOT NULL COLLATE pg_catalog."C"
);
CREATE TABLE public.rookery_setting_changes (
    kind text NOT NULL COLLATE pg_catalog."C",
    id text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL
);
CREATE TABLE public.rookery_storage_checks (
    id text NOT NULL COLLATE pg_catalog."C",
    padding text NOT NULL COLLATE pg_catalog."C"
);
CREATE SEQUENCE public.rookery_trigger_positions
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE public.rookery_trigger_relays (
    name text NOT NULL COLLATE pg_catalog."C",
    owner text NOT NULL COLLATE pg_catalog."C",
    leased_until bigint NOT NULL
);
CREATE TABLE public.rookery_triggers (
    id text NOT NULL COLLATE pg_catalog."C",
    "position" bigint NOT NULL,
    app_id text NOT NULL COLLATE pg_catalog."C",
    channel text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    data text NOT NULL COLLATE pg_catalog."C",
    socket_id text COLLATE pg_catalog."C",
    created_at bigint NOT NULL,
    buried_at bigint,
    reason text COLLATE pg_catalog."C"
);
CREATE TABLE public.rookery_webhooks (
    id text NOT NULL COLLATE pg_catalog."C",
    queue text NOT NULL COLLATE pg_catalog."C",
    endpoint text NOT NULL COLLATE pg_catalog."C",
    free_at bigint NOT NULL,
    "position" bigint NOT NULL,
    delivery text NOT NULL COLLATE pg_catalog."C",
    claim_id text COLLATE pg_catalog."C"
);
INSERT INTO public.rookery_app_keys VALUES
	('kept-key', '7');
INSERT INTO public.rookery_apps VALUES
	('7', 'kept-key', '{"id":"7","key":"kept-key","secret":"kept-secret","history":[{"channels":"orders"}]}');
INSERT INTO public.rookery_dead_webhooks VALUES
	('2b3faac0-bae1-4dbc-8f9a-a1bc610bb3fa', 'channels', '3', '001795408038940 2b3faac0-bae1-4dbc-8f9a-a1bc610bb3fa', 1795408038940, 'it answered 503', '{"url":"http://127.0.0.1:42741/channels","headers":{"Content-Type":"application/json","X-Pusher-Key":"278d425bdf160c739803","X-Pusher-Signature":"7b8218d41effffea421d010328f366840c07ce988805774a49da12d1b373ad3f"},"body":"{\"time_ms\":1795408038914,\"events\":[{\"name\":\"channel_occupied\",\"channel\":\"dead-1\"}]}","sequence":"dead-1","owner":"3","timeoutMs":10000,"retryDelaysMs":[],"expiresAt":1795408048915,"id":"2b3faac0-bae1-4dbc-8f9a-a1bc610bb3fa","endpoint":"3 http://127.0.0.1:42741/channels","untrusted":false,"dueAt":1795408038915}'),
	('6576f2b8-faee-4fb0-bd93-fd121f13308e', 'channels', '3', '001795408038961 6576f2b8-faee-4fb0-bd93-fd121f13308e', 1795408038961, 'it answered 503', '{"url":"http://127.0.0.1:42741/channels","headers":{"Content-Type":"application/json","X-Pusher-Key":"278d425bdf160c739803","X-Pusher-Signature":"a659d1fc8793b893c5fb7bbd37c37097a849c73c1007daea3e5b0bd69b35a702"},"body":"{\"time_ms\":1795408038927,\"events\":[{\"name\":\"channel_occupied\",\"channel\":\"dead-2\"}]}","sequence":"dead-2","owner":"3","timeoutMs":10000,"retryDelaysMs":[],"expiresAt":1795408048927,"id":"6576f2b8-faee-4fb0-bd93-fd121f13308e","endpoint":"3 http://127.0.0.1:42741/channels","untrusted":false,"dueAt":1795408038927}');
INSERT INTO public.rookery_device_interests VALUES
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-7ac1db8a-edb0-411e-947d-b2ed2f8910f6'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-8d684cc5-94ef-4c7d-a9b1-779ac2c1a019'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-7e0f1390-9d10-40f0-842e-8ebc0d39adbd'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-6cb629f8-66fc-4bb8-9db8-da1aaa8cbcfa'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-f75b3bbb-1ae6-4357-8159-e552c33187d2'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-30c9e71b-5a23-4ba8-8da9-241cbd24c512'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-1e306199-8774-40cb-96a2-efeace2a0aac'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-ae711ddf-f3aa-48e0-8d5c-7ac91f08f8f8'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-40d24488-1bca-4b08-80a6-8648c510b871'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-51502fd0-8da4-44f9-ba9d-6e5c5274d14c'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-81f4f544-45b8-4dd0-a922-5649257b8cf4'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-8051b7b1-21fd-4efa-a1a2-07f4f656e24b'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-63a247d5-23e5-4589-8a1a-4e849e05a7f5'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-ad8a937f-0ef9-493d-8690-f1859309cbc2'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-0d9ee7ea-ddef-418e-a758-5ada14f82a0a'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-7ef8510b-ad8a-43ba-be35-09618a57c4cc'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-c517b49a-90bc-41b4-87a3-4ddfe974541d'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-ad9c39a1-55aa-4dfb-8076-92a312322168'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-9f71adfb-4fe2-4db8-9234-d77de7e11ae2'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-cdef4b0a-f3e5-4a89-b0a7-b29b38666dfb'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-a8f81951-9704-42aa-b117-6eef0a8f7052'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-393b57dc-6a21-4836-ac31-080689c040bb'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-87475516-2cea-4860-baca-e8bb5293d86a'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-6796e2dc-a0b6-479e-b3ad-c217acfb47f4'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-f83a9c62-86ef-4f48-9863-17de8725dd92'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-6c11ef3b-3ff8-4819-bd29-616b39e0563e'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-13d331ba-e613-49a1-86aa-75e0e5f94356'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-51606a68-9e29-43cf-adee-faf15279e39f'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-8f3fee7d-a7a3-4b11-b217-d63d77c969d3'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-e074791d-05e6-4dc8-9c24-d4937fe62b52'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-e44b8ab7-279a-4326-ab4b-6f4b7d7761e6'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-07af0865-e448-4f36-8cdd-3638f52970e3'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-9ffc40fd-756a-429b-956f-ea8cbe16cd61'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-0b5a9f19-4cd1-4612-8522-0fcad8b8cdc9'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-3772adae-21a1-489d-b638-b75cfb1d0e52'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-3a856f6f-26d2-49fa-bbec-946c831e864e'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-bdb095e1-2d6c-41b0-bce4-fa6d8e8c164a'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-63fd2f96-ac23-48b2-895c-7644a85ed9df'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-3391c84e-9f44-4087-9dae-2774408318e5'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-463b0326-0963-4515-bb28-471926dda0e9'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-b7e517ab-86b4-4c7d-a131-a36589a03fe0'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-81c876d2-513b-4348-a257-68b08b3809ad'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-0ddaf146-692a-4ab9-8643-793661cb3c67'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-32d4cbcd-c74a-4d3c-8e28-4d9345b0d499'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-e5f8ff14-2634-425e-abd5-0ef7a8ea6310'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-a17bb542-c1ce-423e-a0be-e43082f8eafa'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-6d6dfdab-5571-4e77-8ff4-5899a41fe480'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-f59ee262-3906-4ca2-8649-a22d6182c339'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-9368f78a-7a1b-4281-89a7-4a6327c57579'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-15be85e9-9206-4d3d-8c87-c6dc3433351e');
INSERT INTO public.rookery_device_interests VALUES
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-6ca32bb9-508e-492b-ae5a-0230dc71e90f'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-dc0f0467-5d7c-4f0a-a03d-fcf7c6c72d12'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-7fd0238e-0153-4513-be47-77636b1425b5'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-a0975b6d-1fcd-49fc-9f0b-dd7160196e0e'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-aa256d9a-b353-42a7-b8c4-a0cdb8e6aefe'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-7eefc587-3b7e-4785-8ecb-16a95b6c3bad'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-e0e89a63-db08-4a88-ad71-1eb8d098f9b9'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-81afea18-3ae2-4374-9dd5-f7842a358a1f'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-15107bd0-0713-41e7-9e43-0ead2f62abd3'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-3131cd6f-3196-48e6-888d-2002f6a90a8b'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-45f2d36d-61a3-4b99-8621-9c3cf48dbeac'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-f71bca81-ecf7-4fe6-9ee6-0a4bbd7df7c4'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-4ef97e07-2cc3-46ac-a6da-867344489d8b'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-bd65c72d-cdd1-4040-ab24-e0f690dd99b9'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-c958d62c-daf8-4956-9538-6e8c2b5298bc'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-c4dd6412-3aa0-4b17-9722-58d1b2b32361'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-cefa4e7a-e1cc-42ea-a0d9-657ad43d16a2'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-9c8fa94d-d30f-440d-85fe-3808ad100ff7'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-a7adacbe-3113-43a6-8a6d-6304737a1bc9'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-42197eea-4a90-43a9-9fcc-0d9984c7a359'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-31902c62-af93-421e-943f-0b5321dd5d10'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-f410909c-5e36-4481-a644-173c02d6b21d'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-b6593eb8-9d1a-4b08-8f75-a3b4653c45b3'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-887731b6-284c-404d-ab63-d8784f2f2624'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-10c84184-6765-4bd9-898e-6da67cadb08e'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-76088f1b-a1b3-4ab8-8846-852bf799f847'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-3bdca369-2c29-471b-8013-843fd04dfd62'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-0bdd725b-f73f-4951-832b-86d896ab5f02'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-64914158-71de-4b43-8466-11a88bd8b182'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-715f94fa-539b-4618-9844-6d8ce38c2df5'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-b5c1506b-a775-4f97-8141-431c3fc5808c'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-ecbf9100-d009-4163-9cf5-90c4d881fee5'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-5bb0a7f6-10f2-4a2f-b106-0524354968b5'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-ab90848c-408d-4d15-8bfd-075b29c249b2'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-6ce9d7f2-7a56-4e68-bc9c-9fcb350c6828'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-d8e47f0f-547a-40f1-bef8-a42b91c8d1bd'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-33f984ac-8946-4e2d-aca8-7b22c5e72cf2'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-6a57740a-534b-4a34-9886-d86223e94c04'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-071c8969-e021-4c15-8649-afb3fea5b304'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-42b5f9a5-c8b3-4410-a879-cc224555ed75'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-1825dd1b-ec20-4d35-9f1a-2fa0eac1d0b1'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-b423a8fc-026d-4d79-bb19-8c76c5e90c5d'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-7a256bc7-3794-4163-87d4-865946cec28c'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-1e083c89-e956-45fa-b2d7-2a65356bb4a3'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-795d1456-ace6-4492-a312-90c3cf31c266'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-470b964d-bf88-4cab-a7d0-8be9f1cbfea1'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-ed386085-7b39-479f-849d-23c60654912a'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-035fb94a-fd53-4da8-8d6f-12d07473d226'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-d57e5e87-3d6d-4a5b-9f55-67404ea734e7'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-96433316-484f-4989-b216-e3f4a10579ac');
INSERT INTO public.rookery_device_interests VALUES
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-03634194-40fc-4db0-b794-077acf4a73a1'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-7d1a8949-0d7d-4ef9-8185-a3c7440ee556'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-c8ab058c-22ea-41a7-8c34-9eab813c3cb3'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-d14be484-5a1d-4ace-b37a-9afdbf665cd2'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-0016be95-8ed2-4ded-970e-5dd0ac62b434'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-57fe0572-4b34-4222-9a31-140d99f572f2'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-3e0a0127-0a5c-4e9d-94d8-b24e2d32553e'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-63a63f34-3dfe-4245-b59b-9baca0254a81'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-2124cefb-e1f6-40a6-b70f-2a0b10231e05'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-c0930acf-c43c-407b-ad9a-d3a65baed2b6'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-6f260b3f-3871-443b-ad05-6ed049bbf921'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-02c8a582-ce24-4b5c-a09b-24df4c7e39b5'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-fba0b3d1-b59f-4d80-be4c-2c37ee1b0f9e'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-af9566e0-6366-4024-abb7-e3de2861ccb0'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-3ec43909-d77e-4385-af42-3b7883871ef3'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-d79f38b5-5274-4dbe-8a41-1ffd80a6266c'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-d25b9c4b-b296-4889-8df6-d63b9d7c83b4'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-3ab6fadc-343a-4f4f-9547-ba54047b155e'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-1d37cc98-b921-4192-86a5-7f2e2f112e25'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-2ca44e79-9acf-4509-b5a5-a39f77fd1283'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-09a205d7-6823-42a9-8f50-503b7425760b'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-12037fa9-a952-46e7-aab1-77f3ae814031'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-994a237a-856b-438a-8bc5-d9fd75b39722'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-fc7bf6e6-57f0-47b1-b774-eb64465d649f'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-e5b7a001-8fc4-4782-b337-550c86bea4d2'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-7afe4e36-11c4-4ad9-a7a6-5c88c06c2700'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-0b209af7-6de5-4457-be2c-f2f3d8b4584a'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-72dc1664-3a6a-4064-a6be-5e32ac896be6'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-463b761c-f33e-4ee4-80c9-2c1bfac997a5'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-a23d8337-4e4d-4bd3-83cd-28ccf6809472'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-9c5b3cca-e9a8-4d3c-947b-0f0973bc228a'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-0f8b3352-7d7f-4af0-9d7f-d4415ff7d35e'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-0ee88916-ec0b-4a1b-a7ac-735821593e00'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-65bd39f2-3bb5-4641-a88b-8d4d596298c9'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-e96c9e74-d0e4-4df0-96c8-c4f981d2a1a5'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-529cf6a0-78fd-422f-945a-6a41ebf398bb'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-c659025b-ec31-49a1-879f-3d54f2d312b5'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-7313eed5-f837-46be-8016-cdd5bdde448f'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-e14830ed-9c5c-4a10-9493-076582cce872'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-dc734b0e-b640-4c13-8286-ac7f47dbe3e3'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-f78c0dd9-ce36-4be2-bc01-fb703a1c87ba'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-bce09bca-646d-44d9-90b1-c81f9e9d9a67'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-c659e414-810d-4b12-9a97-dd7b02d2542e'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-0b9752cf-1400-49e3-aada-5530227debdd'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-09d74c59-d14d-45c6-910a-8aeb4c404ff2'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-ed91d022-cd44-4d39-9833-f8a674f869ca'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-4e117e34-c9b7-4e46-8c3a-594e9300ab80'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-a7e6a8d1-831b-4a2e-8b3f-f63bae527533'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-060cba4c-0097-4085-8ee9-236aea0235b0'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-73409e7b-9bae-458b-81e8-08d1c135f191');
INSERT INTO public.rookery_device_interests VALUES
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-976e8c3c-441b-46d2-a850-e3535fd4bdc0'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-dbf723ad-c3b0-40ba-a165-9334efa0a433'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-e4bc3b8c-0b15-43cb-9ed3-003d9cb4d7b6'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-c0da2d7f-0dd0-48ba-b7db-56a2f6b35dd6'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-89fb511b-a1c8-44f1-9fbb-c1944accba2d'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-c58185d4-215d-45d4-b2ae-316649675f01'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-51c6e49b-d91b-4224-a76c-85b15f4a45ae'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-33ec71bf-f429-4127-b585-daa0eadd3cd6'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-492c7bad-e5f2-4169-a2a0-79cde5a07b4f'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-160f1623-7775-4ae4-a37f-e8bcb5519926'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-a3d30f41-aa0f-48ec-960d-a320af8de481'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-959a8467-5468-4fe6-befe-eb78d6b05b1c'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-bd021c06-6ed1-4b2d-831c-3847cc7e46be'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-584e6467-031b-4317-b1ab-914518fe9057'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-41b63898-d8ae-42d3-bb33-a79655bae075'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-645a4563-9c83-4652-b34a-6e56122fdaeb'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-47ff851a-1cc9-472a-ba5f-94f91dd664bb'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-01814c63-ac60-41d2-859b-89cfa8d6c1f7'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-0cd9849b-e87b-4e3d-ae39-8d5853485fe9'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-d2978d90-e53b-47fd-b500-21d670414bf3'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-52c8f15c-9026-44fa-acfd-237650c5b46d'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-5d5490fd-d964-4d32-bc8a-aeec5216debe'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-3eaa641d-b4fd-48a2-9c2d-479fd10bbd2b'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-5e5cb6db-8716-4eaa-b5ae-a15ab33de491'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-ebdb5153-18d7-455b-bfa9-89b10f620aeb'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-aec19360-5eb6-4c5d-b4ff-5d6cdaa8cb4c'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-3cf303bb-a4ed-4652-85aa-2e3046306a13'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-9e15bb51-ccec-46b9-a15a-91d9bb9d2b87'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-6b52da10-4298-4cf6-864a-668e9cfaba16'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-15fb7e5f-3c9e-44c1-86fb-0cfbc6c0d762'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-f3fd332c-5a1c-44f5-afaf-ff1d7fac60fe'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-d02fe2c2-b17d-4db7-8c38-c2d7f0af2906'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-8ad2e357-bd99-406e-a898-0b2aeced8354'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-2c59b4ff-6334-4eb4-9c0d-171adfc59b3e'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-a1efcbee-ff19-414b-9f75-9878a1ca9d0b'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-7dbc12f1-4737-40ef-941f-4fa205f51f95'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-ce5825e6-1e9b-49c4-be89-4c4f01694932'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-43b559af-5236-45a2-8231-a4db2451479a'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-b9592a4a-9bd4-4c72-add1-deae1f52a883'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-bc0bb1ea-a742-48df-9d80-283d60c47bbd'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-2e774524-495c-4a40-a397-da191ede41ab'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-7aa20af0-a0fd-43e8-85dc-60802b3f9243'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-eb5f2300-0787-4c99-914b-f0abf2dca585'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-78ec16b5-62ec-4ae4-818b-ed860546ec00'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-8714b362-34f4-4ca7-b330-c33ea9d201cd'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-47b5c282-6bfa-48b1-994e-3d29fee50944'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-34bd1362-2d84-47d4-bc50-e4be1b58505a'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-bbd38808-c78a-4a7a-ab57-d967e0174149'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-4a99fad6-2703-4afe-886c-18e1fca33a39'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-7bdf5913-7bdf-4631-880d-6e3036e8ffdf');
INSERT INTO public.rookery_device_interests VALUES
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-ca5574dd-8557-4e6c-9856-3d0dafe116ed'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-271d83bb-6e91-4284-8537-2853930a0915'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-9fa58c44-8de1-4f1e-962e-0c682049f974'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-7f29e29c-14ae-4d0e-baf9-f2c624cdfd35'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-a0f47f25-025f-4960-9b47-7cbe3ea5aa89'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-3b6dc7c5-e012-4e17-af2f-c5bee4e0d29d'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-dc838449-49bb-45d5-a974-d5ee983efbd4'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-33a1bfcf-83fe-4b2b-b67c-3f195ba1a677'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-6cfeca31-d0f1-4882-830c-5f8c95ba92a8'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-692f76e0-3221-4564-8a8e-299db1128127'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-14e047d8-44b1-48df-a9c1-bd56857f2300'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-378fc29f-9d8d-430b-ac2d-1726dbefe8c3'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-a1874299-5516-4600-b05b-7f723a03e714'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-9ad97605-f7a3-4549-a4aa-e99186c8ff25'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-054e5f05-c4aa-4fbd-808e-95d4a3f3d394'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-86914ff9-ec0a-4f4e-b9a1-cb4ee39ccf6d'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-513b3709-2713-4a70-84d8-0da507c1eb56'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-963e64d5-ae44-4160-ad69-2eeee2954b59'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-35adb8b2-b2fa-4089-95ba-9214285b0119'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-d2161862-311a-42ad-93ea-19632983db4f'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-60d379fe-c05d-441f-b6b6-2fdf88baddb5'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-e860b69e-fb80-4fd1-bfb5-9008bc3e7380'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-dfb30c33-43fc-4504-b74a-05f38e9ca57d'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-2e74095e-3ed7-4ea4-9752-f65ba7e50bba'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-f42bc9f8-b0d8-461f-a4f1-262bfc91d29b'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-0b101e6b-c575-43ef-88cc-b20adb23b09e'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-95677c77-a2dc-4a28-8d0e-c4bf33257869'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-a7385823-eb89-4221-9ac9-711b89226d11'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-fc81127b-381e-432a-94ae-dc8f6787955f'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-fea60bb0-0145-45cd-b69d-99e85793f8f5'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-a6340005-14cd-49ed-84ee-a58953bb6e69'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-41a7128a-ede3-4702-bdb4-bcbb5683ff1a'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-e710f894-db6c-45d2-9048-37da9fa2a47a'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-7a61a280-384d-460e-94c2-05a8da849ea5'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-a1b316ce-a104-4fa8-a66f-902cf518e78d'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-4a524f1f-f1ae-4b48-8bfb-bf985ce04606'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-8f4ce57b-20f5-4541-b9bf-bb7d75785965'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-bf689b78-279f-4d27-99ac-c5dc6cdd8c0a'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-46f709d1-4dd7-470e-8c6b-524a7921e79a'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'fcm-0a624875-2911-416b-b462-22e40689a40b'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'held', 'fcm-46f371da-fcbd-426f-838d-6cd56f3035bd'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'held', 'fcm-2908960e-38af-4a16-bba8-842d03e037f7'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'held', 'fcm-8d62559d-8e1a-4aaf-8609-6a1b6ca937c1'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'held', 'fcm-3af3a055-ca8c-4bd7-a523-1f3ab8704757'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'held', 'fcm-35df8eec-e1d1-4629-b570-9b4a77d69dc1'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'held', 'fcm-555700c2-09c8-45c2-b38f-e001fa9db909'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'held', 'fcm-07788748-0827-4e90-8b1e-8815b7d6c59d'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'held', 'fcm-3ee185da-5034-4e64-bc78-f7c42e25ac31'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'held', 'fcm-568ab711-b1e6-4008-aa7c-ea12f27ebe2a'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'held', 'fcm-860f2264-29c1-4dda-b7be-15c064634a15');
INSERT INTO public.rookery_device_interests VALUES
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'held', 'fcm-f9b71f52-04f0-47aa-abd5-7de235a1f56c'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'held', 'fcm-718d2f5d-0cdd-4734-9500-1f7d93c5e9c7'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'held', 'fcm-1c06bf90-cd0c-46dc-98f2-9f5b9b0d5ead'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'held', 'fcm-b864a411-eb9d-41cf-9c55-d2e8d13950b2'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'held', 'fcm-09769d7b-b2e7-4505-94bc-b515a8cfee0f'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'done', 'fcm-8397a406-c575-4b3d-b1aa-d3c6ec72dc6f'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'done', 'fcm-2b5e8990-aee3-41ae-b534-854390a93988'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'done', 'fcm-d77b174b-c2dc-4bc2-910d-3c209f6df0b0'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'done', 'fcm-a1146a7f-596d-45a6-8665-749aca4ce2cc'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'done', 'fcm-58f19557-1ccb-4a13-9c22-ba0f07abb112'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'later', 'fcm-12feb864-2a39-47f4-acb0-902c838f5ef0'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'later', 'fcm-17276686-2762-4db6-aee5-3dfe774fa7f8'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'later', 'fcm-b98a164c-7bd2-4e09-b817-68d0a692075c'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'later', 'fcm-556f622d-a44d-4f1e-aacf-066356d850eb'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'later', 'fcm-a95b738e-f5b6-467c-b5d4-73dfd3847027'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'later', 'fcm-bf1a9a59-ddfa-4409-8ed0-56407eec93b9'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'later', 'fcm-ce0d88b7-c8c3-40dd-a769-6851061d15d6'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'later', 'fcm-ba5e0811-3464-4f70-bf75-cb487f1c4a49'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'later', 'fcm-657fb2a2-d6f6-4927-928b-80cee03c78d6'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'later', 'fcm-beb7d505-bee5-4e4d-aab1-5865e464a20e'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'users', 'fcm-42ae6da2-528c-40d2-93f1-93dc0f0a57aa'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'users', 'fcm-975d1e94-111a-4f17-b179-6750f47a3ca1'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'users', 'fcm-e4df5c38-2d79-4e0d-816b-6cc1479c03b6'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'users', 'fcm-5dfb6dd6-92bf-43df-9731-91c395a304b6'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'users', 'fcm-e0618d44-2ab9-4a00-b477-d6a73e9abaac'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'users', 'fcm-98e4bf91-c104-45cd-9f3c-adc4dc0bb2ca'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-d2875c22-1e9e-40e9-a7eb-f1a54241bb7c'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-05f00e7d-c458-4252-93c9-3e549e28542a'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-f8d7ae65-60b2-4912-ab0d-fea938478ba7'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-ef51deab-969a-4b0e-9bbe-414208c79995'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-3d7c7748-6260-4201-8e81-18f57848f6b3'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-bab1c58c-cf71-45a3-bfbf-712b5fa1497e'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-bf40c01c-f46f-43de-afea-ed3111692563'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-dd58ea2a-7497-42d9-94bd-e12420a85be9'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-a8fe8be4-310a-4654-a634-8c248305ac3d'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-d366705f-989e-4d31-8106-08435ab1c32b'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-e125b752-b7fa-48b3-bca5-54e493c8cef0'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-ac35ff93-9a78-4fa5-bc82-7a649d7c3e9a'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-2c882907-191f-4627-a6d8-aeae6dce3349'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-6edbfd62-e151-47ba-8915-0060ddc78a1e'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-614ec272-9358-49f7-a747-06e30f75a717'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-5c33906a-abcf-4c46-8dfb-f8fc079d6d47'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-87077d1c-1f19-43bf-895f-4b3c0f7940ae'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-086145fe-7ed2-41af-ba34-49052b3678bf'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-79bc6da8-1523-4397-8a92-3a894c783f96'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-61af727d-3b0b-4909-bce5-d3721ea6d8b0'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-7f68fb16-25ce-4f97-89b4-da31cdcda224'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-db007902-efa6-4974-ab15-0ae644a1245c'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-7262cd31-1366-482a-94e7-2074058d047a'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-37019a2e-73ca-45a4-a747-6203621038f4');
INSERT INTO public.rookery_device_interests VALUES
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-ea4801d4-7a8b-4922-abc1-e6a551630330'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-bfb28898-b51b-4feb-be1d-ae95e3da3a80'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-aed38533-2ecf-4b8d-80f6-2728534fefa7'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-66bd7b34-1f2e-4854-9001-7be532165468'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-976125e0-95b0-4beb-8a93-a1de82579162'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-5fc73c9f-ab5e-4442-bc27-8b610a0391a5'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-f360cddf-7496-494c-a028-8c133f20e07d'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-5a28a6a9-1d32-45ce-8d2a-e59321e48a9b'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-ccf16f86-57e4-4184-b745-5425d3a74344'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-c3fcfcb4-19fd-4654-8421-b861ed5bfe61'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-a90ec4ea-0291-46ec-8f9d-97ebaa5458e8'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-3b931730-17c4-469c-be85-29e10b9f3651'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-4a9285dc-cc39-4ae2-adfc-c6942c15c359'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-e8b62a61-46e4-4923-b505-ca9e6ae04d23'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-77945ff0-a083-4f39-8ca1-9e251cf236b5'),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'news', 'apns-8cb57748-f513-4908-a9f6-817849a40048'),
	('11111111-2222-4333-8444-555555555555', 'gone', 'fcm-4f79a42c-1a1e-4762-9802-5bf51df988e9'),
	('11111111-2222-4333-8444-555555555555', 'gone', 'fcm-a3510e0d-9479-429f-93b8-aaf7253fa820'),
	('11111111-2222-4333-8444-555555555555', 'gone', 'fcm-03f74980-811d-491a-a40d-d47295e1c1c7'),
	('11111111-2222-4333-8444-555555555555', 'gone', 'fcm-f580046c-3ca0-4841-bfb5-456a402c29dc'),
	('11111111-2222-4333-8444-555555555555', 'gone', 'fcm-f32edf40-4414-4bae-9e39-ca1a76dfa386'),
	('11111111-2222-4333-8444-555555555555', 'gone', 'fcm-641216d0-ad5e-4d83-abac-c3814c6146dc'),
	('11111111-2222-4333-8444-555555555555', 'gone', 'fcm-cde059ba-c7f5-4c85-84f2-71b29096cf3c'),
	('11111111-2222-4333-8444-555555555555', 'gone', 'fcm-d5a051c5-86ef-4785-818e-29fb8ac87b9d'),
	('11111111-2222-4333-8444-555555555555', 'gone', 'fcm-7fd9a837-0ab4-43e3-9e1f-4c0a1bdb237c'),
	('11111111-2222-4333-8444-555555555555', 'gone', 'fcm-4e3812dd-b8bb-4ee9-b1a7-716350caeb43'),
	('11111111-2222-4333-8444-555555555555', 'gone', 'fcm-3cf9b8bf-3bf3-4bad-a7d1-504b6a2584ca'),
	('11111111-2222-4333-8444-555555555555', 'gone', 'fcm-e5c4fe02-f927-43af-a866-c9d72a8629ad');
INSERT INTO public.rookery_devices VALUES
	('fcm-7ac1db8a-edb0-411e-947d-b2ed2f8910f6', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 0', 'ko4inOLJp6GYVqbgLgURTslRS_1QmFdXeL5axGE17_g', 'com.example.app', NULL, '{}', 1795408034971, NULL),
	('fcm-8d684cc5-94ef-4c7d-a9b1-779ac2c1a019', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 1', 'sE5i0nxGBhS3OImDpY_nHofs-g8uIuk5lNN8hrvG1VU', 'com.example.app', NULL, '{}', 1795408034975, NULL),
	('fcm-7e0f1390-9d10-40f0-842e-8ebc0d39adbd', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 2', '2624IlwGAqRR0Zts8B0LJtCPQOKOfVvr1SogQv8hVOs', 'com.example.app', NULL, '{}', 1795408034979, NULL),
	('fcm-6cb629f8-66fc-4bb8-9db8-da1aaa8cbcfa', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 3', 'ZDyFyZxe1TRmESbgJLe4xGo_MrHsxrZhjf_NnXkynLM', 'com.example.app', NULL, '{}', 1795408034986, NULL),
	('fcm-f75b3bbb-1ae6-4357-8159-e552c33187d2', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 4', 'IFtYB5V4KpoPo9IW0uMVO0P9AdGNwIi2Zjirqhkqfk8', 'com.example.app', NULL, '{}', 1795408034996, NULL),
	('fcm-30c9e71b-5a23-4ba8-8da9-241cbd24c512', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 5', 'oXaHkw1o7bcp4ffDPylXnoMOviwyX-aKrXzKBdDkQ7o', 'com.example.app', NULL, '{}', 1795408035001, NULL),
	('fcm-1e306199-8774-40cb-96a2-efeace2a0aac', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 6', '596bsnr3PsTxX4WjygYkyudj56J4jgohbuzHOvRbWsk', 'com.example.app', NULL, '{}', 1795408035006, NULL),
	('fcm-ae711ddf-f3aa-48e0-8d5c-7ac91f08f8f8', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 7', 'zWc672T5ngT239NddmoNQuUi0AO2gaPeozYU8DVrs5U', 'com.example.app', NULL, '{}', 1795408035011, NULL),
	('fcm-40d24488-1bca-4b08-80a6-8648c510b871', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 8', 'NN4U82PqW8di9-_YespEguLx4Ezp4DE6aIwcuTWSjkE', 'com.example.app', NULL, '{}', 1795408035017, NULL),
	('fcm-51502fd0-8da4-44f9-ba9d-6e5c5274d14c', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 9', 'UXpYplXLEXhBiYF0yt_eqqKIYY6qDSXE7hPEIMmJeNQ', 'com.example.app', NULL, '{}', 1795408035020, NULL),
	('fcm-81f4f544-45b8-4dd0-a922-5649257b8cf4', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 10', '4DdVjZ5Nf78fQr6D_LJ0BCBQOreY8QwrkZXPZ2JwSKA', 'com.example.app', NULL, '{}', 1795408035024, NULL),
	('fcm-8051b7b1-21fd-4efa-a1a2-07f4f656e24b', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 11', 'IsyVSHSGIVJJE-j5krxfHJwBUky6BBGQXbUmh7Jrgg4', 'com.example.app', NULL, '{}', 1795408035027, NULL),
	('fcm-63a247d5-23e5-4589-8a1a-4e849e05a7f5', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 12', '9afuvfMhW6TiXHePZhcBYP8CkNSLjafhz1q_l-Sq6HI', 'com.example.app', NULL, '{}', 1795408035032, NULL),
	('fcm-ad8a937f-0ef9-493d-8690-f1859309cbc2', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 13', 'aFtcGDLeDf-vv2nKYzXpsS_Vq5T6MNB75f4TRw8kkJE', 'com.example.app', NULL, '{}', 1795408035035, NULL),
	('fcm-0d9ee7ea-ddef-418e-a758-5ada14f82a0a', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 14', '0io2_eX9CWkG9FGYiaSsAT7_6WppWuqRUhd2GyUXvCc', 'com.example.app', NULL, '{}', 1795408035037, NULL),
	('fcm-7ef8510b-ad8a-43ba-be35-09618a57c4cc', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 15', 'T0O5zCLkGzVay-u7vyr7z6DUfx6y6XEuiJpzSZSIZ90', 'com.example.app', NULL, '{}', 1795408035049, NULL),
	('fcm-c517b49a-90bc-41b4-87a3-4ddfe974541d', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 16', '33eY0XY833g2fyyEwYgeBVYqWo7o3HcFWYDdIBt74s0', 'com.example.app', NULL, '{}', 1795408035061, NULL),
	('fcm-ad9c39a1-55aa-4dfb-8076-92a312322168', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 17', 'Q4Vdm5CHQB-u9Y9swpgMlN7ICzz_0Lk6yL4lqRudTKc', 'com.example.app', NULL, '{}', 1795408035066, NULL),
	('fcm-9f71adfb-4fe2-4db8-9234-d77de7e11ae2', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 18', 'SsAlpwtwP7nO32L85erPUWN3HCwG04JyABBEpFRlyV4', 'com.example.app', NULL, '{}', 1795408035081, NULL),
	('fcm-cdef4b0a-f3e5-4a89-b0a7-b29b38666dfb', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 19', 'kC4Bdih9J7clhrcQHa8GY2SXq1HfMaYGu6Q0TGhbcj8', 'com.example.app', NULL, '{}', 1795408035084, NULL),
	('fcm-a8f81951-9704-42aa-b117-6eef0a8f7052', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 20', 'BcM-F-1DRdNEePJ7PyBrJ8JTyISsuMPteJzziFSe9W0', 'com.example.app', NULL, '{}', 1795408035086, NULL),
	('fcm-393b57dc-6a21-4836-ac31-080689c040bb', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 21', 'Xcbw1SBWyzFBaemM1gqljTMxwlcoBiqHgYfADHDJDXk', 'com.example.app', NULL, '{}', 1795408035088, NULL),
	('fcm-87475516-2cea-4860-baca-e8bb5293d86a', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 22', 'xCUdMUoHXV2GNIr46Q2AVtLROtbS88wb-3fCfw5nb38', 'com.example.app', NULL, '{}', 1795408035090, NULL),
	('fcm-6796e2dc-a0b6-479e-b3ad-c217acfb47f4', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 23', 'DQ0jS73ZxbEHOWDSaveJjCE8JBKjnFCQ8v7nkiNsDhk', 'com.example.app', NULL, '{}', 1795408035092, NULL),
	('fcm-f83a9c62-86ef-4f48-9863-17de8725dd92', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 24', 'RBHb4FCTew1ROjVM80q0DbykSv31ze8wjC_jiZIRHCw', 'com.example.app', NULL, '{}', 1795408035094, NULL),
	('fcm-6c11ef3b-3ff8-4819-bd29-616b39e0563e', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 25', 'Uw1Le_gvfhGmIP08FQ-2kHPKlEZrOy26Q8_gqePRPuo', 'com.example.app', NULL, '{}', 1795408035097, NULL),
	('fcm-13d331ba-e613-49a1-86aa-75e0e5f94356', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 26', '5LZWn-REjBVPlyx2hq7rpaLMx1Aa9wKgRpRU9S7p_74', 'com.example.app', NULL, '{}', 1795408035099, NULL),
	('fcm-51606a68-9e29-43cf-adee-faf15279e39f', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 27', 'sVZAvxNTeGqEFfaMwaSsxy1mhXBvpAWB0PhBzEZ9A_U', 'com.example.app', NULL, '{}', 1795408035102, NULL),
	('fcm-8f3fee7d-a7a3-4b11-b217-d63d77c969d3', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 28', 'FSanbHyB1_Tu3snaUP-mq6jhiXBBjVVIArZXohDPq7g', 'com.example.app', NULL, '{}', 1795408035104, NULL),
	('fcm-e074791d-05e6-4dc8-9c24-d4937fe62b52', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 29', 'eVQ3AS_3NPZ0nYy7_L_GuACTjcXprrCajS3uEzT3dcQ', 'com.example.app', NULL, '{}', 1795408035111, NULL),
	('fcm-e44b8ab7-279a-4326-ab4b-6f4b7d7761e6', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 30', 'RjFQV6SFysd30Ote9Oo12PEhpwqhgmht9P683UdhGHU', 'com.example.app', NULL, '{}', 1795408035116, NULL),
	('fcm-07af0865-e448-4f36-8cdd-3638f52970e3', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 31', 'g1Y76icheYFe5VrmV77L85tqzhk-nBgn2yhIwJGloYE', 'com.example.app', NULL, '{}', 1795408035119, NULL),
	('fcm-9ffc40fd-756a-429b-956f-ea8cbe16cd61', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 32', 'ZIw0UDqQk8TR8UNogkDosetDO3t56ayF_TfLUpEiJbg', 'com.example.app', NULL, '{}', 1795408035122, NULL),
	('fcm-0b5a9f19-4cd1-4612-8522-0fcad8b8cdc9', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 33', '4CInCN7SxZL3NHYssSyEYSN1ROKU6fUm9QOW5m5wZh4', 'com.example.app', NULL, '{}', 1795408035123, NULL),
	('fcm-3772adae-21a1-489d-b638-b75cfb1d0e52', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 34', 'mefscVdth5QfOG7DWIlYyxy8V-QFBn5ISFMUZ-SSbdM', 'com.example.app', NULL, '{}', 1795408035125, NULL),
	('fcm-3a856f6f-26d2-49fa-bbec-946c831e864e', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 35', 'tAQC6Vub8HSsFxOlgnFil9XST_gILYMoOsAOSAazEdE', 'com.example.app', NULL, '{}', 1795408035131, NULL),
	('fcm-bdb095e1-2d6c-41b0-bce4-fa6d8e8c164a', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 36', 'sE67eYK5YgxZWg3smj3tSUKJmhDEXmyGOfMv14mgp_g', 'com.example.app', NULL, '{}', 1795408035141, NULL),
	('fcm-63fd2f96-ac23-48b2-895c-7644a85ed9df', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 37', 'dIjEqwpLzqb58-yNL0x4zp08pg9ADCxjCHbAHhQ6PnE', 'com.example.app', NULL, '{}', 1795408035144, NULL),
	('fcm-3391c84e-9f44-4087-9dae-2774408318e5', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 38', '8N78-SkMDGPwzDBfYLWzadcenUzWvEPFpZUwRVbakLA', 'com.example.app', NULL, '{}', 1795408035146, NULL),
	('fcm-463b0326-0963-4515-bb28-471926dda0e9', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 39', '9l8Ni-e4gJ4s2B3-u8k35QnPVbvm7fAnV4G-g8LLg-M', 'com.example.app', NULL, '{}', 1795408035147, NULL),
	('fcm-b7e517ab-86b4-4c7d-a131-a36589a03fe0', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 40', 'KwHZ8ToGaK2vDN-E8x4sZlQnJXPagd4l126PLpxEFos', 'com.example.app', NULL, '{}', 1795408035151, NULL),
	('fcm-81c876d2-513b-4348-a257-68b08b3809ad', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 41', '_wGqnSASFwiH_hJj-4pIeDsAtDPeV49cbCswJezceCw', 'com.example.app', NULL, '{}', 1795408035153, NULL),
	('fcm-0ddaf146-692a-4ab9-8643-793661cb3c67', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 42', 'ZFWBPCyGUeGYZFKTLGR719w2aGCHBFYn0XSYftMQXBM', 'com.example.app', NULL, '{}', 1795408035154, NULL),
	('fcm-32d4cbcd-c74a-4d3c-8e28-4d9345b0d499', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 43', 'mJycy6kk3_Sl7QxuFvsnrl5SRFlX9Y4R_YbpE4xeubM', 'com.example.app', NULL, '{}', 1795408035155, NULL),
	('fcm-e5f8ff14-2634-425e-abd5-0ef7a8ea6310', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 44', 'cuEI74ptw0Q8k8Yn4tuXYOaiKiRM3Wja2mbI0ceyfLM', 'com.example.app', NULL, '{}', 1795408035157, NULL),
	('fcm-a17bb542-c1ce-423e-a0be-e43082f8eafa', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 45', 'xLSRj3NE3y4Brblld5nlxOoOoTpTmzDpT3JQWpSUplU', 'com.example.app', NULL, '{}', 1795408035167, NULL),
	('fcm-6d6dfdab-5571-4e77-8ff4-5899a41fe480', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 46', '_7mPvuzfcLPaipbLVEjJa3wg2ySQcmBRznetO_uJmFo', 'com.example.app', NULL, '{}', 1795408035171, NULL),
	('fcm-f59ee262-3906-4ca2-8649-a22d6182c339', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 47', 'krFfggcwJAmcFZdGfFs3VUD3-M4w4IV8C7tQW9sja-Q', 'com.example.app', NULL, '{}', 1795408035173, NULL),
	('fcm-9368f78a-7a1b-4281-89a7-4a6327c57579', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 48', '_espJJVsyjJYcgzQfhQlMvWnU4Sf3HRQGR-Fi7jUMww', 'com.example.app', NULL, '{}', 1795408035174, NULL),
	('fcm-15be85e9-9206-4d3d-8c87-c6dc3433351e', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 49', 'k2uq6uc0g14ALRngBaQBe8xSb8ZyH2Sg0sK3wfZKN_s', 'com.example.app', NULL, '{}', 1795408035176, NULL);
INSERT INTO public.rookery_devices VALUES
	('fcm-6ca32bb9-508e-492b-ae5a-0230dc71e90f', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 50', 'X3lnFei8L_9GwPtpRYfrmJHQJ2i__3tfJwzLUGNOq28', 'com.example.app', NULL, '{}', 1795408035177, NULL),
	('fcm-dc0f0467-5d7c-4f0a-a03d-fcf7c6c72d12', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 51', 'tAV3IDM3V3n03Gpa01hj-PsyVTV0VOA4dtzVgaaSefA', 'com.example.app', NULL, '{}', 1795408035183, NULL),
	('fcm-7fd0238e-0153-4513-be47-77636b1425b5', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 52', 'axR31-KuAzQt1Q5C7uIT_1IGpEp2lK2MD4pORBNQGj8', 'com.example.app', NULL, '{}', 1795408035185, NULL),
	('fcm-a0975b6d-1fcd-49fc-9f0b-dd7160196e0e', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 53', 'd0gd4txxQJIAsM2jlw22kWWPXBu7mUtWhp-1DXxASGA', 'com.example.app', NULL, '{}', 1795408035187, NULL),
	('fcm-aa256d9a-b353-42a7-b8c4-a0cdb8e6aefe', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 54', '8b0GcrHvVw2eXfH_7hRqJL3YbqcH8RjZMEnukmgcKD8', 'com.example.app', NULL, '{}', 1795408035190, NULL),
	('fcm-7eefc587-3b7e-4785-8ecb-16a95b6c3bad', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 55', '4eeoanYe7w7hOyhwrqcJQLXh-Ght9JcvcX_tGWbl2rU', 'com.example.app', NULL, '{}', 1795408035193, NULL),
	('fcm-e0e89a63-db08-4a88-ad71-1eb8d098f9b9', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 56', 'Fy_XNuzNHzNA_uVzlZz23MNUqcR2tdzru3tSfKypQHM', 'com.example.app', NULL, '{}', 1795408035195, NULL),
	('fcm-81afea18-3ae2-4374-9dd5-f7842a358a1f', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 57', 'YWKADGAcNOvM8oAxnnheb7Fi70zsfD7reSeYYd0jAWQ', 'com.example.app', NULL, '{}', 1795408035202, NULL),
	('fcm-15107bd0-0713-41e7-9e43-0ead2f62abd3', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 58', 'l9L4LLzvVrP5JM90QRnE1OzVH6ztGgkr8ncqDVg88jY', 'com.example.app', NULL, '{}', 1795408035204, NULL),
	('fcm-3131cd6f-3196-48e6-888d-2002f6a90a8b', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 59', 'P9NZZS7CMQHNUH2xMWHImnjoJwLJJaEeuJBqBtkAOI0', 'com.example.app', NULL, '{}', 1795408035206, NULL),
	('fcm-45f2d36d-61a3-4b99-8621-9c3cf48dbeac', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 60', 'JKhisVSRHtUNstDn9SeObSV44yI__ZChdZrpSk8P9Is', 'com.example.app', NULL, '{}', 1795408035207, NULL),
	('fcm-f71bca81-ecf7-4fe6-9ee6-0a4bbd7df7c4', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 61', 'SBhkIbZOP9R_hMs4GkRlVbKCrIHzjGDrI3N0ml0U_VI', 'com.example.app', NULL, '{}', 1795408035208, NULL),
	('fcm-4ef97e07-2cc3-46ac-a6da-867344489d8b', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 62', 'TTN-JmRHKVs5_dyoKXu_-dp-1OZIu6cKKYzYlbcu7BY', 'com.example.app', NULL, '{}', 1795408035210, NULL),
	('fcm-bd65c72d-cdd1-4040-ab24-e0f690dd99b9', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 63', 'D3JKkDEb1rahifNJu96lrD8xTFbY_CHeI4WjsLa21Vk', 'com.example.app', NULL, '{}', 1795408035211, NULL),
	('fcm-c958d62c-daf8-4956-9538-6e8c2b5298bc', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 64', 'KpW5UhdoSbgIfiptIIcICLWVXTCALgQzn_3l0Y0_16s', 'com.example.app', NULL, '{}', 1795408035215, NULL),
	('fcm-c4dd6412-3aa0-4b17-9722-58d1b2b32361', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 65', 'mK2ajikAehOiK1Up88oO-gNKOoN2y_0fLyOlMbtHafk', 'com.example.app', NULL, '{}', 1795408035218, NULL),
	('fcm-cefa4e7a-e1cc-42ea-a0d9-657ad43d16a2', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 66', 'W7KSkULe6EjBCp770fnB4cuagv1P-ELiy2vfNeXOjtc', 'com.example.app', NULL, '{}', 1795408035220, NULL),
	('fcm-9c8fa94d-d30f-440d-85fe-3808ad100ff7', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 67', 'sz9wSjEKBatGtfXzSupWrN-mMlJTefNkECuniPwbauE', 'com.example.app', NULL, '{}', 1795408035223, NULL),
	('fcm-a7adacbe-3113-43a6-8a6d-6304737a1bc9', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 68', '1xXHcSpeFyRHrqsPUYfkhzcT_ji-alyKRauYFlfNpXo', 'com.example.app', NULL, '{}', 1795408035224, NULL),
	('fcm-42197eea-4a90-43a9-9fcc-0d9984c7a359', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 69', 'S8gYKSq6lG7A4AjJctF-ZauBA15BmlojycSMqjb_p9g', 'com.example.app', NULL, '{}', 1795408035226, NULL),
	('fcm-31902c62-af93-421e-943f-0b5321dd5d10', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 70', 'gtvnRRlIPZkt9a7yU70v1NpESUo1ZIWI4NzX1lM_iuo', 'com.example.app', NULL, '{}', 1795408035230, NULL),
	('fcm-f410909c-5e36-4481-a644-173c02d6b21d', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 71', 'C0Q_qRZNIifSqZ2tpx78yhRL1duUl9gQ5Lpuqkmi7Mw', 'com.example.app', NULL, '{}', 1795408035234, NULL),
	('fcm-b6593eb8-9d1a-4b08-8f75-a3b4653c45b3', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 72', 'wCoOnsde467hTt1ZWCRayPDv9IwJ9ANpZXFDC1tLbLs', 'com.example.app', NULL, '{}', 1795408035236, NULL),
	('fcm-887731b6-284c-404d-ab63-d8784f2f2624', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 73', 'o9iNr-XNI2i-Xcng2Vd5LNbtuaYG9fgL1D5KS0mIk68', 'com.example.app', NULL, '{}', 1795408035238, NULL),
	('fcm-10c84184-6765-4bd9-898e-6da67cadb08e', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 74', '0JaxjVKFg1oaq3wCMYWftk1NUsXAh0dwHSWEtPuDvk4', 'com.example.app', NULL, '{}', 1795408035239, NULL),
	('fcm-76088f1b-a1b3-4ab8-8846-852bf799f847', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 75', 'c_MmM5IzdyJEOnSa_oGN5cxoMoheQ73072vtaQUQGWo', 'com.example.app', NULL, '{}', 1795408035242, NULL),
	('fcm-3bdca369-2c29-471b-8013-843fd04dfd62', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 76', 's9nt64KV2fAievAmwPuVobTxYU0r2yE5h16F6q9CSxY', 'com.example.app', NULL, '{}', 1795408035244, NULL),
	('fcm-0bdd725b-f73f-4951-832b-86d896ab5f02', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 77', '-s6J-DZM071k7yLc57i7EeViEV1YUrd6YBSORc_FhKk', 'com.example.app', NULL, '{}', 1795408035246, NULL),
	('fcm-64914158-71de-4b43-8466-11a88bd8b182', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 78', 'Z3XbjPgle9twYvlxdXXAAkA5OJ9OSvbJoAyJzagt_bU', 'com.example.app', NULL, '{}', 1795408035247, NULL),
	('fcm-715f94fa-539b-4618-9844-6d8ce38c2df5', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 79', 'V339MSwJ3cRurSoraB1-dZFXelshA_Y0a4geXAh0s0Y', 'com.example.app', NULL, '{}', 1795408035249, NULL),
	('fcm-b5c1506b-a775-4f97-8141-431c3fc5808c', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 80', 'Aswqd6mDkayN81AJHiegGbOuurW5eJRNpnJFeZciQQ8', 'com.example.app', NULL, '{}', 1795408035250, NULL),
	('fcm-ecbf9100-d009-4163-9cf5-90c4d881fee5', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 81', 'UXuFrhrbQhirjytF4_ZLElSXi5RJamAUh8xcBqzvBmI', 'com.example.app', NULL, '{}', 1795408035252, NULL),
	('fcm-5bb0a7f6-10f2-4a2f-b106-0524354968b5', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 82', '879bT1CNM1hYFJcpIVwT7K_EdWAHpijyYVQ7q8eUqUk', 'com.example.app', NULL, '{}', 1795408035254, NULL),
	('fcm-ab90848c-408d-4d15-8bfd-075b29c249b2', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 83', 'FRx-N_j6XWCk6_UVAnpXARmUDYQ3gGEsA-tJ2A86qNA', 'com.example.app', NULL, '{}', 1795408035255, NULL),
	('fcm-6ce9d7f2-7a56-4e68-bc9c-9fcb350c6828', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 84', 'KfRh8ooD78-qnUb9T6Aa9tTN14WIYDg7dX_mciSwSjY', 'com.example.app', NULL, '{}', 1795408035256, NULL),
	('fcm-d8e47f0f-547a-40f1-bef8-a42b91c8d1bd', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 85', 'pCmlemM-Z4D85oNBm-j_2_BL5946e7XSM0DPaHxsrb8', 'com.example.app', NULL, '{}', 1795408035258, NULL),
	('fcm-33f984ac-8946-4e2d-aca8-7b22c5e72cf2', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 86', '87xscP4qiT1KHQ8TZSlAPVm1QDSuMHEZzCdFOZrAWRw', 'com.example.app', NULL, '{}', 1795408035259, NULL),
	('fcm-6a57740a-534b-4a34-9886-d86223e94c04', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 87', 'RCz0JcIfQ0qQg3EVJ6cGipE53MtzkM-5oXqJiH1eJbA', 'com.example.app', NULL, '{}', 1795408035261, NULL),
	('fcm-071c8969-e021-4c15-8649-afb3fea5b304', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 88', 'pzXe39mxqpu9xRvMpo4sAobKDC_hHI3_oaY7Wa-S_OA', 'com.example.app', NULL, '{}', 1795408035262, NULL),
	('fcm-42b5f9a5-c8b3-4410-a879-cc224555ed75', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 89', 'pawQVyxBI0AXR5GEtC4T8rnycqV89bHjpADRWnNlvmg', 'com.example.app', NULL, '{}', 1795408035263, NULL),
	('fcm-1825dd1b-ec20-4d35-9f1a-2fa0eac1d0b1', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 90', 'MwJtdNViQndCGHfBUoGBjSNhS9Dj613burQ7ik7VcBk', 'com.example.app', NULL, '{}', 1795408035265, NULL),
	('fcm-b423a8fc-026d-4d79-bb19-8c76c5e90c5d', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 91', 'UNzqOauWIw7jTG8aXeAXQ04fzUs9fnXWY3QwsVOJrO4', 'com.example.app', NULL, '{}', 1795408035267, NULL),
	('fcm-7a256bc7-3794-4163-87d4-865946cec28c', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 92', '_E0Mgt_UXPVlSNR1BpsFKIBU8FhKbAC3FCuvIxOQlQk', 'com.example.app', NULL, '{}', 1795408035268, NULL),
	('fcm-1e083c89-e956-45fa-b2d7-2a65356bb4a3', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 93', '2Zi2N266LrbprEeMcngo8P27icIp9s_2BBfr2JnsVTI', 'com.example.app', NULL, '{}', 1795408035270, NULL),
	('fcm-795d1456-ace6-4492-a312-90c3cf31c266', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 94', 'aoxvShpTiYViH80MGvgeEvwbjcbmq3sbYKQkmBzhB0A', 'com.example.app', NULL, '{}', 1795408035272, NULL),
	('fcm-470b964d-bf88-4cab-a7d0-8be9f1cbfea1', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 95', 'GDx6TzB3oDTcVTQaVoavd41FwM0HjiARzR20hRKbkQU', 'com.example.app', NULL, '{}', 1795408035274, NULL),
	('fcm-ed386085-7b39-479f-849d-23c60654912a', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 96', 'ZrdeTgbHpGrWciz1KqY_QHyRAPUv5eC_9DgPtWAypsw', 'com.example.app', NULL, '{}', 1795408035275, NULL),
	('fcm-035fb94a-fd53-4da8-8d6f-12d07473d226', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 97', '3yBRvIs_9lGDbH4bEEn9YkAOXgCMwm8tD-iBygLTyys', 'com.example.app', NULL, '{}', 1795408035276, NULL),
	('fcm-d57e5e87-3d6d-4a5b-9f55-67404ea734e7', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 98', 'A90sM2GcnLMYeIb3joLSkFi4YMtd6pVl0aymlUBGI-Q', 'com.example.app', NULL, '{}', 1795408035287, NULL),
	('fcm-96433316-484f-4989-b216-e3f4a10579ac', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 99', 'apD43Dzlj5skFwHP_Se2SC2utpp-QLjZjQd9e0xjOZY', 'com.example.app', NULL, '{}', 1795408035289, NULL);
INSERT INTO public.rookery_devices VALUES
	('fcm-03634194-40fc-4db0-b794-077acf4a73a1', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 100', 'uWtiDFpQHnGBOtbDXucdTuy29Cux7zIVwL5C3bToZS0', 'com.example.app', NULL, '{}', 1795408035291, NULL),
	('fcm-7d1a8949-0d7d-4ef9-8185-a3c7440ee556', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 101', 'EVqpfPuZbSIzrc8YihBuW7k_kT-M2O4LM5q-CBsUWS4', 'com.example.app', NULL, '{}', 1795408035292, NULL),
	('fcm-c8ab058c-22ea-41a7-8c34-9eab813c3cb3', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 102', 'BAbTquYxOJmh32gXrMmOmlrrqP54s0B58JQPDJLiN1s', 'com.example.app', NULL, '{}', 1795408035293, NULL),
	('fcm-d14be484-5a1d-4ace-b37a-9afdbf665cd2', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 103', 'V6Wk5sE8r1rolvefLzTXfxGIesRaNfr3h2ACakhrbQc', 'com.example.app', NULL, '{}', 1795408035295, NULL),
	('fcm-0016be95-8ed2-4ded-970e-5dd0ac62b434', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 104', 't_B7twnkvyn81SkSRz9GVGxC8xJVVD6BL1gBLQxJ9qM', 'com.example.app', NULL, '{}', 1795408035296, NULL),
	('fcm-57fe0572-4b34-4222-9a31-140d99f572f2', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 105', 'i2XGnpCg8pOuqn8IjttLZsfCxLk1lhG2f4WaqYbz5nM', 'com.example.app', NULL, '{}', 1795408035297, NULL),
	('fcm-3e0a0127-0a5c-4e9d-94d8-b24e2d32553e', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 106', 'wVEdIDxlNPy1XtL-pyqJVJo9pOnGLqIT3hEtYXuB1L4', 'com.example.app', NULL, '{}', 1795408035298, NULL),
	('fcm-63a63f34-3dfe-4245-b59b-9baca0254a81', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 107', '9eSZx8a1b1TDsf8ceuNb7UW_d6qiLOiHUKuJ1ykqKCI', 'com.example.app', NULL, '{}', 1795408035299, NULL),
	('fcm-2124cefb-e1f6-40a6-b70f-2a0b10231e05', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 108', '3-KGenmVJe3Lj9ET2mcz1Cs5WIfudgo40w6z9harU24', 'com.example.app', NULL, '{}', 1795408035301, NULL),
	('fcm-c0930acf-c43c-407b-ad9a-d3a65baed2b6', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 109', 'AHff8QIroZsnJivk9lSXyL562-JIp9vY4KGiVdp7q3I', 'com.example.app', NULL, '{}', 1795408035302, NULL),
	('fcm-6f260b3f-3871-443b-ad05-6ed049bbf921', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 110', '7jUJN_XgZ4dnr_8WC62wbxTFN5C0SxbylCv3f0sF6l4', 'com.example.app', NULL, '{}', 1795408035306, NULL),
	('fcm-02c8a582-ce24-4b5c-a09b-24df4c7e39b5', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 111', 'VQMbe8Wp2_yPOKMno4Ia2sX3PBReboK4xS9qYq3pVcw', 'com.example.app', NULL, '{}', 1795408035313, NULL),
	('fcm-fba0b3d1-b59f-4d80-be4c-2c37ee1b0f9e', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 112', 'hxMWy5HnY0i_IXPOdHRw4sf9V7M0O4o62ztlS3V10ZI', 'com.example.app', NULL, '{}', 1795408035314, NULL),
	('fcm-af9566e0-6366-4024-abb7-e3de2861ccb0', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 113', 'I_nXB1Wpn5dqqnO10gVPtOu6sYNRChZoouaPpPcNXzg', 'com.example.app', NULL, '{}', 1795408035316, NULL),
	('fcm-3ec43909-d77e-4385-af42-3b7883871ef3', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 114', 'noecwh5LjVuBh9rfpXptZ12WSVp21ibPSeE4gQLT9Bw', 'com.example.app', NULL, '{}', 1795408035321, NULL),
	('fcm-d79f38b5-5274-4dbe-8a41-1ffd80a6266c', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 115', 'tUYHS9lvQy6CHvPiwiOAJ3jM9biLzHebZy83XNP62T4', 'com.example.app', NULL, '{}', 1795408035322, NULL),
	('fcm-d25b9c4b-b296-4889-8df6-d63b9d7c83b4', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 116', 'UffZaTuN4k3ffbjK01a4bZR65jgc9ZWBslFwEyWJOS4', 'com.example.app', NULL, '{}', 1795408035326, NULL),
	('fcm-3ab6fadc-343a-4f4f-9547-ba54047b155e', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 117', 'rC1pujZHA6ofFLpDvfSwj9ZDlybbK_T9p4iXW5xCk8k', 'com.example.app', NULL, '{}', 1795408035333, NULL),
	('fcm-1d37cc98-b921-4192-86a5-7f2e2f112e25', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 118', '1g8CHukOv68HAW8kGqnQhvMc-xDU0IsdgYWW0_g8fKY', 'com.example.app', NULL, '{}', 1795408035335, NULL),
	('fcm-2ca44e79-9acf-4509-b5a5-a39f77fd1283', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 119', 'uBW4zBkaDhkv9g_t_hbcEfWGZTsApWEZGDKUt9uC9LY', 'com.example.app', NULL, '{}', 1795408035337, NULL),
	('fcm-09a205d7-6823-42a9-8f50-503b7425760b', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 120', 'gTL7kQdVQs-X-s6zEOSJVe_Hb4nF_6sSakNxeUeY2pQ', 'com.example.app', NULL, '{}', 1795408035341, NULL),
	('fcm-12037fa9-a952-46e7-aab1-77f3ae814031', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 121', 'KOzMdmZWhqtXONam1wdunWw1eU0ctv0KkO_3XUNbonU', 'com.example.app', NULL, '{}', 1795408035350, NULL),
	('fcm-994a237a-856b-438a-8bc5-d9fd75b39722', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 122', 'UhmcUlnRTJD71P_y0BRt7M9WVIJS3VWSEZMv6-8pjXI', 'com.example.app', NULL, '{}', 1795408035352, NULL),
	('fcm-fc7bf6e6-57f0-47b1-b774-eb64465d649f', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 123', 'C7zO-WbtwdY46mekVek9z2a_AzAhAVkwUy2ibPZQGPo', 'com.example.app', NULL, '{}', 1795408035355, NULL),
	('fcm-e5b7a001-8fc4-4782-b337-550c86bea4d2', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 124', 'fbkovxB5Fc18hKLXzEE2aNkPcXea3Vn3j9Vc7rnP6Mc', 'com.example.app', NULL, '{}', 1795408035356, NULL),
	('fcm-7afe4e36-11c4-4ad9-a7a6-5c88c06c2700', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 125', 'imku06nteBtQVc-Au-qE1ezF1crJQcOAIr73UyTSxOU', 'com.example.app', NULL, '{}', 1795408035362, NULL),
	('fcm-0b209af7-6de5-4457-be2c-f2f3d8b4584a', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 126', 'OqhSbQFLQcGmEpepq8sm_F2TIvgI4L1V0Boz6fJX5jM', 'com.example.app', NULL, '{}', 1795408035364, NULL),
	('fcm-72dc1664-3a6a-4064-a6be-5e32ac896be6', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 127', 'i5AUeu5qdfF2guA82PMXYfX6zS54Z0IaDyV1As8U9Do', 'com.example.app', NULL, '{}', 1795408035365, NULL),
	('fcm-463b761c-f33e-4ee4-80c9-2c1bfac997a5', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 128', 'KXnc6TqQJMaFgMu264fgnws11GLfJqDKMIIji1JSqcs', 'com.example.app', NULL, '{}', 1795408035366, NULL),
	('fcm-a23d8337-4e4d-4bd3-83cd-28ccf6809472', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 129', 'CDyjY3rL2hxdbrx7A_qsfULvYmzUOhyhbBKCX3UIv2c', 'com.example.app', NULL, '{}', 1795408035368, NULL),
	('fcm-9c5b3cca-e9a8-4d3c-947b-0f0973bc228a', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 130', 'cYN3ViI8Dcn_OP24EfjKixF-r306v43if9h-vmHM3is', 'com.example.app', NULL, '{}', 1795408035369, NULL),
	('fcm-0f8b3352-7d7f-4af0-9d7f-d4415ff7d35e', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 131', '31vofuEvtC1oyqqummP26nxky6ckHET84PR3rcGdXY8', 'com.example.app', NULL, '{}', 1795408035370, NULL),
	('fcm-0ee88916-ec0b-4a1b-a7ac-735821593e00', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 132', 'p8AQn9Rqp2cp3SiWyrI7pLHPiSUU9r4rYPpsPG0CI30', 'com.example.app', NULL, '{}', 1795408035373, NULL),
	('fcm-65bd39f2-3bb5-4641-a88b-8d4d596298c9', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 133', 'JyXezATC80_r3xYBqV5ovX4YOepST5eDi8wOJXqeDfI', 'com.example.app', NULL, '{}', 1795408035376, NULL),
	('fcm-e96c9e74-d0e4-4df0-96c8-c4f981d2a1a5', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 134', 'tkY7ujNE31ZOa912KA76eB13Lf0OUZuAFECaEEtvOyg', 'com.example.app', NULL, '{}', 1795408035386, NULL),
	('fcm-529cf6a0-78fd-422f-945a-6a41ebf398bb', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 135', 'vkJOc22J3rLe6NfgmaHEhYQQgUFEW5H3JGMPtisN4Mk', 'com.example.app', NULL, '{}', 1795408035390, NULL),
	('fcm-c659025b-ec31-49a1-879f-3d54f2d312b5', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 136', 'jKK6bZegYxn2Igy_k2B65YaZrAfzq8MIsyLQxHSVAks', 'com.example.app', NULL, '{}', 1795408035398, NULL),
	('fcm-7313eed5-f837-46be-8016-cdd5bdde448f', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 137', 'yoZGgTPrG01wYFoIgOlcTgPdWyE0kTPe5qLQCvr0gAk', 'com.example.app', NULL, '{}', 1795408035400, NULL),
	('fcm-e14830ed-9c5c-4a10-9493-076582cce872', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 138', 'yWy_f4my3wLDWOSkDu0ErGoZQinVVaSajD_uc9NYm7k', 'com.example.app', NULL, '{}', 1795408035401, NULL),
	('fcm-dc734b0e-b640-4c13-8286-ac7f47dbe3e3', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 139', 'MwHabRuZBhCNZzM1jHcLfL8icWoYbiK4l-RMr4PfglQ', 'com.example.app', NULL, '{}', 1795408035403, NULL),
	('fcm-f78c0dd9-ce36-4be2-bc01-fb703a1c87ba', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 140', 'ApZwE4iJu-a1AQNml5tBrkmpOt8nxeC_pnr5uoU06fc', 'com.example.app', NULL, '{}', 1795408035410, NULL),
	('fcm-bce09bca-646d-44d9-90b1-c81f9e9d9a67', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 141', 'qOMeehtvBEhK4QL-DFhbBxcfBsqtJYN5QyPdVX4drD4', 'com.example.app', NULL, '{}', 1795408035412, NULL),
	('fcm-c659e414-810d-4b12-9a97-dd7b02d2542e', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 142', 'MK934BxAw0C-DSahnbx_Aw9c4Yjgic0TiBrHyC00BMI', 'com.example.app', NULL, '{}', 1795408035414, NULL),
	('fcm-0b9752cf-1400-49e3-aada-5530227debdd', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 143', 'HyeIDISBklhAT2vs-oyRzrXI5cR6eZ2g9X86UEVxqu8', 'com.example.app', NULL, '{}', 1795408035422, NULL),
	('fcm-09d74c59-d14d-45c6-910a-8aeb4c404ff2', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 144', 'BmKe4bGqAN2dlnv37ASDD8DMINNuM-QPmQlOfRj0X6Q', 'com.example.app', NULL, '{}', 1795408035424, NULL),
	('fcm-ed91d022-cd44-4d39-9833-f8a674f869ca', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 145', 'vzIXpfZabSb2A5OtcNOYGeI_S70JjHk25LieuQY8T7w', 'com.example.app', NULL, '{}', 1795408035425, NULL),
	('fcm-4e117e34-c9b7-4e46-8c3a-594e9300ab80', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 146', 'fNc51sM_ZOIayDCQv_qJnIDL7qDUu7AL4OS3zNZ4wYo', 'com.example.app', NULL, '{}', 1795408035430, NULL),
	('fcm-a7e6a8d1-831b-4a2e-8b3f-f63bae527533', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 147', 'GVyX8m0Mv8NxeQ979IcBVnHatFhDEBZ5NTHV_uwoGFc', 'com.example.app', NULL, '{}', 1795408035433, NULL),
	('fcm-060cba4c-0097-4085-8ee9-236aea0235b0', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 148', 'Q0aN7osPVYVZpwWzdH6jdLcakhZfqhwO---7HY1RIi4', 'com.example.app', NULL, '{}', 1795408035438, NULL),
	('fcm-73409e7b-9bae-458b-81e8-08d1c135f191', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 149', 'xk4LwjtY7qFDTy-o5D3zxxZPxUNE5C-kZJNJ2RxQvzw', 'com.example.app', NULL, '{}', 1795408035445, NULL);
INSERT INTO public.rookery_devices VALUES
	('fcm-976e8c3c-441b-46d2-a850-e3535fd4bdc0', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 150', 'B8bVrzmuo55K_tz3y11O0HmxCL_ackW31pzy9G2XoMo', 'com.example.app', NULL, '{}', 1795408035448, NULL),
	('fcm-dbf723ad-c3b0-40ba-a165-9334efa0a433', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 151', 'Sc46Sk91VKrlOTn4vg7MUubzt1P2ar-1Fw10BjuYV80', 'com.example.app', NULL, '{}', 1795408035452, NULL),
	('fcm-e4bc3b8c-0b15-43cb-9ed3-003d9cb4d7b6', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 152', 'pcH7elWFbsqHOjYelT3lKAXVr1pa7EwUqJ8wdLj3Lfk', 'com.example.app', NULL, '{}', 1795408035455, NULL),
	('fcm-c0da2d7f-0dd0-48ba-b7db-56a2f6b35dd6', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 153', 'RsgsBwyVKxtFJjvEMVvLLxaq6u04vGt5R78zlzSIoQI', 'com.example.app', NULL, '{}', 1795408035458, NULL),
	('fcm-89fb511b-a1c8-44f1-9fbb-c1944accba2d', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 154', 'KUE5mQS-fBU21oU9FiLXbpouL8cGPSarvFs97YsnYT8', 'com.example.app', NULL, '{}', 1795408035461, NULL),
	('fcm-c58185d4-215d-45d4-b2ae-316649675f01', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 155', '60H69_wXopmab7om4Hjtsvegm-z7lOm1iduCq0wYPW8', 'com.example.app', NULL, '{}', 1795408035465, NULL),
	('fcm-51c6e49b-d91b-4224-a76c-85b15f4a45ae', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 156', 'cK3qdxG4s-P8dQdVDFJsj41b7aJaPd__L1w1swjCvw4', 'com.example.app', NULL, '{}', 1795408035470, NULL),
	('fcm-33ec71bf-f429-4127-b585-daa0eadd3cd6', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 157', 'Pw_RVp6s3nMjR2Cc3cRn0Y_b7nytRm2VuiyPgb7Ap-Q', 'com.example.app', NULL, '{}', 1795408035472, NULL),
	('fcm-492c7bad-e5f2-4169-a2a0-79cde5a07b4f', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 158', 'PcF9m2lpITs-7-i9IBfcAF_2Lyrita4svfsHfCH-V3w', 'com.example.app', NULL, '{}', 1795408035473, NULL),
	('fcm-160f1623-7775-4ae4-a37f-e8bcb5519926', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 159', 'qemN5nqFoXWUl_vgiaR51ScuChhWFYc6zdi2OXkUiaU', 'com.example.app', NULL, '{}', 1795408035476, NULL),
	('fcm-a3d30f41-aa0f-48ec-960d-a320af8de481', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 160', 'GSHJ5OFIOPC8-ji_IzvVXuSQGfE9GL2BV6y05IjUm4E', 'com.example.app', NULL, '{}', 1795408035478, NULL),
	('fcm-959a8467-5468-4fe6-befe-eb78d6b05b1c', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 161', 'rAxzrqreGSvzr4gWtmJWKwJt9KaE9rQByT2-6DVs57c', 'com.example.app', NULL, '{}', 1795408035480, NULL),
	('fcm-bd021c06-6ed1-4b2d-831c-3847cc7e46be', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 162', 'Y1g1ugqGc04kJQxqMtpjHCCQSglrjYhf3sJO0h_iAMY', 'com.example.app', NULL, '{}', 1795408035490, NULL),
	('fcm-584e6467-031b-4317-b1ab-914518fe9057', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 163', 'SeQjq91jtCkHuDbQ-uvPdkamLa66G1B9eJwjzoSYOxo', 'com.example.app', NULL, '{}', 1795408035492, NULL),
	('fcm-41b63898-d8ae-42d3-bb33-a79655bae075', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 164', '_D0fjrk0CPiyQSqDBD99XMAveA_5yonh8RbAw3Fk7rM', 'com.example.app', NULL, '{}', 1795408035495, NULL),
	('fcm-645a4563-9c83-4652-b34a-6e56122fdaeb', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 165', 'AUTHxPcOutoXpH2Ag9TIKuuumgGuWq71fXY6VQ6uwNw', 'com.example.app', NULL, '{}', 1795408035496, NULL),
	('fcm-47ff851a-1cc9-472a-ba5f-94f91dd664bb', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 166', 'VY9adrLQ6ZDgSqwhKG5yPUkJ3_EO849MKf3jjw52Y24', 'com.example.app', NULL, '{}', 1795408035498, NULL),
	('fcm-01814c63-ac60-41d2-859b-89cfa8d6c1f7', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 167', 'AuHzqhRvG4iJ961BShbFDnmclYn_Qba9lLAsXDcDXi0', 'com.example.app', NULL, '{}', 1795408035512, NULL),
	('fcm-0cd9849b-e87b-4e3d-ae39-8d5853485fe9', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 168', '3LmBo-wKt1y-il_CCjVh4j39PdsiViq3hUUKZ1MttiA', 'com.example.app', NULL, '{}', 1795408035514, NULL),
	('fcm-d2978d90-e53b-47fd-b500-21d670414bf3', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 169', '32OyuozbvOfBUgYZBC-Zijm1bx76VAVnIwCHJNDsIB4', 'com.example.app', NULL, '{}', 1795408035516, NULL),
	('fcm-52c8f15c-9026-44fa-acfd-237650c5b46d', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 170', 'm7vdq8VVgr2VxXdgAPn8zJlZ0l8ZRXBZlu900NWX-bQ', 'com.example.app', NULL, '{}', 1795408035521, NULL),
	('fcm-5d5490fd-d964-4d32-bc8a-aeec5216debe', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 171', 'XGUpGaR6Ta2M503oc9k-3HzBu325pP2b5fttjLEV2IE', 'com.example.app', NULL, '{}', 1795408035525, NULL),
	('fcm-3eaa641d-b4fd-48a2-9c2d-479fd10bbd2b', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 172', 'HIOLBUJJGCWiuc4AzE8eNw9FjuLWhBz6UbKpfuhhgvI', 'com.example.app', NULL, '{}', 1795408035529, NULL),
	('fcm-5e5cb6db-8716-4eaa-b5ae-a15ab33de491', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 173', '_csvzA3HYNvrFmR5_b9AfAtFLjaJlqVIQqRLL0-gesc', 'com.example.app', NULL, '{}', 1795408035535, NULL),
	('fcm-ebdb5153-18d7-455b-bfa9-89b10f620aeb', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 174', 'GPMb94LA7VpbauuldiwYcBoMzKFemW4e_kbvnn204pA', 'com.example.app', NULL, '{}', 1795408035536, NULL),
	('fcm-aec19360-5eb6-4c5d-b4ff-5d6cdaa8cb4c', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 175', 'JDj_a9Yok7dXZl6850FTMx4NJJ4wf_3zc3ILG-4566M', 'com.example.app', NULL, '{}', 1795408035538, NULL),
	('fcm-3cf303bb-a4ed-4652-85aa-2e3046306a13', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 176', '5kziiy-heIeEfkloVGP48Qjn8H6uWoJjZsUKHssS7cQ', 'com.example.app', NULL, '{}', 1795408035541, NULL),
	('fcm-9e15bb51-ccec-46b9-a15a-91d9bb9d2b87', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 177', 'D-Fp11Yt8f7Uop7uSc9UIQ69kCbly-sQviTXRfNbjPk', 'com.example.app', NULL, '{}', 1795408035543, NULL),
	('fcm-6b52da10-4298-4cf6-864a-668e9cfaba16', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 178', 'BuKo5DTJaejyV5fj6TNoM56O3d5qlOviTZfxWUFBVV0', 'com.example.app', NULL, '{}', 1795408035550, NULL),
	('fcm-15fb7e5f-3c9e-44c1-86fb-0cfbc6c0d762', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 179', 'xQ_GE_LzxRnQtleoMyIOrpSKXvvxZsmOUFsFAmQ64TI', 'com.example.app', NULL, '{}', 1795408035552, NULL),
	('fcm-f3fd332c-5a1c-44f5-afaf-ff1d7fac60fe', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 180', 'j5NVpsHDL-R-PmjFIkekA0iyPQqYZ_LPCRdJKGXwvRE', 'com.example.app', NULL, '{}', 1795408035554, NULL),
	('fcm-d02fe2c2-b17d-4db7-8c38-c2d7f0af2906', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 181', 'l7ejfbYJYmvtegaOe2eyx5cpYWbFkuo3BHfYXe495ag', 'com.example.app', NULL, '{}', 1795408035555, NULL),
	('fcm-8ad2e357-bd99-406e-a898-0b2aeced8354', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 182', 'oEJr8YLhuu4yRSuua1lDUw-KgpdK_7fG0Cc8IuE5RK8', 'com.example.app', NULL, '{}', 1795408035560, NULL),
	('fcm-2c59b4ff-6334-4eb4-9c0d-171adfc59b3e', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 183', '8lSv_LyFL1c2MkE9vcVaIblCI-XTWZQ66hoy5ZK1BGk', 'com.example.app', NULL, '{}', 1795408035562, NULL),
	('fcm-a1efcbee-ff19-414b-9f75-9878a1ca9d0b', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 184', 'eZHLwqhmTonjUxjiRHiZFcDes4jyg-fgxUa4X-yQzJU', 'com.example.app', NULL, '{}', 1795408035564, NULL),
	('fcm-7dbc12f1-4737-40ef-941f-4fa205f51f95', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 185', '0fkR3-MFTVRmfyuNt3YEjO5xudoVVPwbc-RWqrbae_w', 'com.example.app', NULL, '{}', 1795408035570, NULL),
	('fcm-ce5825e6-1e9b-49c4-be89-4c4f01694932', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 186', 'fv45-MkBnaH5x600JyEyc2S9B9UDRggj6OMVEjU9VaQ', 'com.example.app', NULL, '{}', 1795408035572, NULL),
	('fcm-43b559af-5236-45a2-8231-a4db2451479a', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 187', 'Es8IQFVhSwPN-BtYd86ycyVVoZao-0ljNYlhEeLGru4', 'com.example.app', NULL, '{}', 1795408035582, NULL),
	('fcm-b9592a4a-9bd4-4c72-add1-deae1f52a883', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 188', 'n-he-w3pUYwwAS9Sm1eC3YW8du7HGxDjqI3ZzeIX6U0', 'com.example.app', NULL, '{}', 1795408035584, NULL),
	('fcm-bc0bb1ea-a742-48df-9d80-283d60c47bbd', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 189', 'Fr2vzP9y1Hn0Ijx7BiNvBZKrT3Y67CCkwVqDbwJ4lXA', 'com.example.app', NULL, '{}', 1795408035593, NULL),
	('fcm-2e774524-495c-4a40-a397-da191ede41ab', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 190', 'O6HSZZyN1QFUnvfGkHVpjCnfin2y-U9OLn0OXQmuYOw', 'com.example.app', NULL, '{}', 1795408035595, NULL),
	('fcm-7aa20af0-a0fd-43e8-85dc-60802b3f9243', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 191', 'EUOLfhKiL_LGBghQwrvOufrCDS5OZJHrJ0FtUEN4aeM', 'com.example.app', NULL, '{}', 1795408035606, NULL),
	('fcm-eb5f2300-0787-4c99-914b-f0abf2dca585', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 192', 'PTmnoY55P2jlQmesCjeySVjByjHehcAXuXawbLizCe0', 'com.example.app', NULL, '{}', 1795408035613, NULL),
	('fcm-78ec16b5-62ec-4ae4-818b-ed860546ec00', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 193', '59Zp19czvSg3XkZI-A0j_5WwI8McEjwHcSdmBn8Kbko', 'com.example.app', NULL, '{}', 1795408035625, NULL),
	('fcm-8714b362-34f4-4ca7-b330-c33ea9d201cd', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 194', 'XlJcbCHjczbq942rkmG-2Qf60HC5Cu8ioo1pKZkS2-8', 'com.example.app', NULL, '{}', 1795408035628, NULL),
	('fcm-47b5c282-6bfa-48b1-994e-3d29fee50944', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 195', 'k_0fpe7KQ1Yu8BssaR8eHNZBGgcv3NFa4eTh-3MVEpo', 'com.example.app', NULL, '{}', 1795408035629, NULL),
	('fcm-34bd1362-2d84-47d4-bc50-e4be1b58505a', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 196', 'ROxoxiLIWtwKreUtoK30xabWHVE9aDiX6Nxgg2OeHqo', 'com.example.app', NULL, '{}', 1795408035631, NULL),
	('fcm-bbd38808-c78a-4a7a-ab57-d967e0174149', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 197', 'cY-_b8rHXnLJTdK045H-XAi62LhmXBcjGX4Mp9Pk3t0', 'com.example.app', NULL, '{}', 1795408035632, NULL),
	('fcm-4a99fad6-2703-4afe-886c-18e1fca33a39', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 198', 'URApRAndMDxZ2AaGA_olDaTG-bDiJ1d03WP35yIc030', 'com.example.app', NULL, '{}', 1795408035636, NULL),
	('fcm-7bdf5913-7bdf-4631-880d-6e3036e8ffdf', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 199', 'uPamL4ohmfQZ236sXbCD1RTYephj2qiNo_ozWn2s_C0', 'com.example.app', NULL, '{}', 1795408035638, NULL);
INSERT INTO public.rookery_devices VALUES
	('fcm-ca5574dd-8557-4e6c-9856-3d0dafe116ed', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 200', 'UExxM_4wlktBwpYWKEEDcgTNxyqP7JOJccIDyMVzC5g', 'com.example.app', NULL, '{}', 1795408035653, NULL),
	('fcm-271d83bb-6e91-4284-8537-2853930a0915', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 201', 'NpS40yPqMDXzZdUUmJ7L_I2dwaO6HCmsAqZwGr8hrJg', 'com.example.app', NULL, '{}', 1795408035661, NULL),
	('fcm-9fa58c44-8de1-4f1e-962e-0c682049f974', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 202', 'ZOEIi40llnjyxd1bj99BO-oyUInbt-jXXbOO8TeenD8', 'com.example.app', NULL, '{}', 1795408035670, NULL),
	('fcm-7f29e29c-14ae-4d0e-baf9-f2c624cdfd35', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 203', '0YXYFYYyiOKTt5hhH44GRfTn1zVWVDchP7BA5w93t3o', 'com.example.app', NULL, '{}', 1795408035677, NULL),
	('fcm-a0f47f25-025f-4960-9b47-7cbe3ea5aa89', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 204', 'jTcwWbWujY--5hewYY36m56vJ_-LxnE9D5Z316qbaNU', 'com.example.app', NULL, '{}', 1795408035679, NULL),
	('fcm-3b6dc7c5-e012-4e17-af2f-c5bee4e0d29d', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 205', 'K_sClR1EDilW2lTPLzKG4EbV0AAevyukCoNCfqKxIjI', 'com.example.app', NULL, '{}', 1795408035688, NULL),
	('fcm-dc838449-49bb-45d5-a974-d5ee983efbd4', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 206', 'txEKTByqr4m1XWa22jpzlAfOUPnAPl_b2a3UgPL8L9E', 'com.example.app', NULL, '{}', 1795408035694, NULL),
	('fcm-33a1bfcf-83fe-4b2b-b67c-3f195ba1a677', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 207', 'lJa-ROuFoFWOTTOumD_Byw6AbCq3O9IvFiKuM-nxXNw', 'com.example.app', NULL, '{}', 1795408035695, NULL),
	('fcm-6cfeca31-d0f1-4882-830c-5f8c95ba92a8', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 208', 'JtPp0Be2y6a5MQ_MIqH9rKKiPn_bdAQlBKhjI9Gq1u0', 'com.example.app', NULL, '{}', 1795408035703, NULL),
	('fcm-692f76e0-3221-4564-8a8e-299db1128127', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 209', 'Cdhug0e5RAH6l84zaZFEbxQItQ0oJFSkB8_qmd-xgq4', 'com.example.app', NULL, '{}', 1795408035710, NULL),
	('fcm-14e047d8-44b1-48df-a9c1-bd56857f2300', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 210', 'lnZAAZwbuiEPOExo8zz0i9ZU5TRhLUfiULoDhgvp-qY', 'com.example.app', NULL, '{}', 1795408035717, NULL),
	('fcm-378fc29f-9d8d-430b-ac2d-1726dbefe8c3', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 211', 'r40EkyTI87t_H1uST926oPsk0HuEL2aJClzILpy65gs', 'com.example.app', NULL, '{}', 1795408035722, NULL),
	('fcm-a1874299-5516-4600-b05b-7f723a03e714', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 212', 'uLB-bEpNDBn6lnBmK_CWCIFg5x7dVNyuTopWBo8Oht4', 'com.example.app', NULL, '{}', 1795408035724, NULL),
	('fcm-9ad97605-f7a3-4549-a4aa-e99186c8ff25', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 213', 'NVAwITWfhBBrvebmkUV-Z9gJ0ZeAJr3fl28_CqlyLe0', 'com.example.app', NULL, '{}', 1795408035729, NULL),
	('fcm-054e5f05-c4aa-4fbd-808e-95d4a3f3d394', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 214', '5vNgMa9BEROPf2gL2Tsf5MVYreouJp51LUXfvzkrjG4', 'com.example.app', NULL, '{}', 1795408035733, NULL),
	('fcm-86914ff9-ec0a-4f4e-b9a1-cb4ee39ccf6d', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 215', 'CPq-4-ZSVG4fddSDIz_rlBZ83_W-Qunti28SRcILb5A', 'com.example.app', NULL, '{}', 1795408035738, NULL),
	('fcm-513b3709-2713-4a70-84d8-0da507c1eb56', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 216', 'b22ehhSdedf3Q0aEn1hO5usFEFAkWGFR00VkSde2bF4', 'com.example.app', NULL, '{}', 1795408035749, NULL),
	('fcm-963e64d5-ae44-4160-ad69-2eeee2954b59', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 217', '95BK8jbYgeMxHdiUQf0ePYkmQySupyfHLlVYKbiFEfM', 'com.example.app', NULL, '{}', 1795408035751, NULL),
	('fcm-35adb8b2-b2fa-4089-95ba-9214285b0119', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 218', 'aIrjwr4HArnJAgldeqvbXtD79VbXXP4VFmdtQGSS3MU', 'com.example.app', NULL, '{}', 1795408035757, NULL),
	('fcm-d2161862-311a-42ad-93ea-19632983db4f', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 219', 't6_RGVuf_0PkuzxLvcnaVsnZSNO636lXJzP6JyslHXg', 'com.example.app', NULL, '{}', 1795408035762, NULL),
	('fcm-60d379fe-c05d-441f-b6b6-2fdf88baddb5', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 220', 'CeYwYs1mtkjZ6ZowxgBIlExw-ko65XnyTBvnb_0zgn8', 'com.example.app', NULL, '{}', 1795408035763, NULL),
	('fcm-e860b69e-fb80-4fd1-bfb5-9008bc3e7380', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 221', 'JhTlONkxcQuHBKtNcDRS1_GDsK9w94sMOtjvlXIDEXY', 'com.example.app', NULL, '{}', 1795408035767, NULL),
	('fcm-dfb30c33-43fc-4504-b74a-05f38e9ca57d', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 222', 'PWIC5_Hl3y_N-Djm71oOB_B5cKRD4zSss1A_8SHg6Qs', 'com.example.app', NULL, '{}', 1795408035773, NULL),
	('fcm-2e74095e-3ed7-4ea4-9752-f65ba7e50bba', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 223', 'A2LVmT_52-hQM6dfGlUUT9EygLlGDCGzJRdMN4t2bME', 'com.example.app', NULL, '{}', 1795408035776, NULL),
	('fcm-f42bc9f8-b0d8-461f-a4f1-262bfc91d29b', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 224', 'BBPzrKpxPe3YB_Cog8upAa0mf0aWueSOrR0JEqPBTbM', 'com.example.app', NULL, '{}', 1795408035778, NULL),
	('fcm-0b101e6b-c575-43ef-88cc-b20adb23b09e', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 225', '0NMkFkwDqcIcYgL3iKiS16vg3FedxfgZB_MuM9cJR8I', 'com.example.app', NULL, '{}', 1795408035783, NULL),
	('fcm-95677c77-a2dc-4a28-8d0e-c4bf33257869', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 226', 'yW0GDhdzJ_z45m-2vReAzywPToFmgV_1N2qohg7qI1E', 'com.example.app', NULL, '{}', 1795408035790, NULL),
	('fcm-a7385823-eb89-4221-9ac9-711b89226d11', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 227', 'EwE5dhIhAPJd9B8JK9aK-Izk8FLITEn0SmJnYJAYJGc', 'com.example.app', NULL, '{}', 1795408035793, NULL),
	('fcm-fc81127b-381e-432a-94ae-dc8f6787955f', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 228', 'eqm4o0vlYHt4bIl7ceWy9VHB50wVlRC-bovjb0XqbkY', 'com.example.app', NULL, '{}', 1795408035794, NULL),
	('fcm-fea60bb0-0145-45cd-b69d-99e85793f8f5', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 229', 'Q2JELzYAJ1E9FSqjmRbWdI3Xz_JklwF6DPDNwkY8VPk', 'com.example.app', NULL, '{}', 1795408035796, NULL),
	('fcm-a6340005-14cd-49ed-84ee-a58953bb6e69', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 230', 'QiPwsT47hfMojRvH36e-xIl9W1Hv70RAVmQnXITlsEI', 'com.example.app', NULL, '{}', 1795408035801, NULL),
	('fcm-41a7128a-ede3-4702-bdb4-bcbb5683ff1a', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 231', '9X_ZZRwFRXLJTkU35uDgC746EXU82UhaHo47GDY8EIA', 'com.example.app', NULL, '{}', 1795408035803, NULL),
	('fcm-e710f894-db6c-45d2-9048-37da9fa2a47a', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 232', 'skHNh7PANbHWFUzDzj50eDsrt-gsHti3aJ2N7zZ55CU', 'com.example.app', NULL, '{}', 1795408035805, NULL),
	('fcm-7a61a280-384d-460e-94c2-05a8da849ea5', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 233', 'k1tKjKF20aVNe_yl4GBcvFa6asNdaQufrJN08VPwVus', 'com.example.app', NULL, '{}', 1795408035807, NULL),
	('fcm-a1b316ce-a104-4fa8-a66f-902cf518e78d', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 234', 'RJMzFV6UiiApBg5kRhhzUtE8-e4jvTw1hx7QJBxKv1Q', 'com.example.app', NULL, '{}', 1795408035815, NULL),
	('fcm-4a524f1f-f1ae-4b48-8bfb-bf985ce04606', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 235', 'XrB2vhC_ugXcSvxgkz3rMfC-PjAA6jVTv7e5_b9B7R4', 'com.example.app', NULL, '{}', 1795408035817, NULL),
	('fcm-8f4ce57b-20f5-4541-b9bf-bb7d75785965', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 236', 'uCS4T1kt8rsyen-MWSEnEG201aib3BLA95si9xyjSCc', 'com.example.app', NULL, '{}', 1795408035819, NULL),
	('fcm-bf689b78-279f-4d27-99ac-c5dc6cdd8c0a', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 237', 'SaInPTAzoVfSYQMwxAE9TCg2NOXhPp9bszo7KZznHZ0', 'com.example.app', NULL, '{}', 1795408035860, NULL),
	('fcm-46f709d1-4dd7-470e-8c6b-524a7921e79a', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 238', 'OxDiW2u3Y6Yzz-iSypV2iy0YSI8RS9dHzynUaCopiIM', 'com.example.app', NULL, '{}', 1795408035863, NULL),
	('fcm-0a624875-2911-416b-b462-22e40689a40b', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'news 239', 'tzPLpvAxMSHMEAQxWqaoPINYCem29oNfh9qX2yr8WZw', 'com.example.app', NULL, '{}', 1795408035865, NULL),
	('fcm-46f371da-fcbd-426f-838d-6cd56f3035bd', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'held 0', 'd9wgIZSbsp30WPQmCky6c4n0mjSu5gM8XULT80-xAAY', 'com.example.app', NULL, '{}', 1795408035867, NULL),
	('fcm-2908960e-38af-4a16-bba8-842d03e037f7', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'held 1', 'Bt0MjXwHHdsuZI5CZfvDXoIWPWn5JmqZ1ZfB6kjnE7k', 'com.example.app', NULL, '{}', 1795408035868, NULL),
	('fcm-8d62559d-8e1a-4aaf-8609-6a1b6ca937c1', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'held 2', 'Fr53VGeST75B-hpUm2Von7TNTdfM2nqzsNYVkDAZMRg', 'com.example.app', NULL, '{}', 1795408035880, NULL),
	('fcm-3af3a055-ca8c-4bd7-a523-1f3ab8704757', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'held 3', 'YNyq0PliRpmQWaFERvJIHymY2yB_u_MqpsNXL2lXWuU', 'com.example.app', NULL, '{}', 1795408035881, NULL),
	('fcm-35df8eec-e1d1-4629-b570-9b4a77d69dc1', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'held 4', 'icUfFVYKnLlPXBAK8eFVlhav5j-2iV-pkon-9hVRbcw', 'com.example.app', NULL, '{}', 1795408035885, NULL),
	('fcm-555700c2-09c8-45c2-b38f-e001fa9db909', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'held 5', '-WLLiwn14180AOunab-2PsTYPkqYTbdaYWYEwlnEPrQ', 'com.example.app', NULL, '{}', 1795408035886, NULL),
	('fcm-07788748-0827-4e90-8b1e-8815b7d6c59d', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'held 6', 'GPDXd3fkKQ0daahEdkq6qx3ai-iPltqVtU4cEmd48YE', 'com.example.app', NULL, '{}', 1795408035888, NULL),
	('fcm-3ee185da-5034-4e64-bc78-f7c42e25ac31', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'held 7', 'Gs5xGeDZ9nAJE3ExILb0-_4_geto_uy5syY1xbFkY5c', 'com.example.app', NULL, '{}', 1795408035900, NULL),
	('fcm-568ab711-b1e6-4008-aa7c-ea12f27ebe2a', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'held 8', 'C-kNLsPv3sUvSMs29m9TKilSSN_7l3dWfC9_RMWQdDY', 'com.example.app', NULL, '{}', 1795408035906, NULL),
	('fcm-860f2264-29c1-4dda-b7be-15c064634a15', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'held 9', 'xsSk8ebr0Y00l0f7RsZUv2E0McOBWIQp6Ujjdwv27n4', 'com.example.app', NULL, '{}', 1795408035922, NULL);
INSERT INTO public.rookery_devices VALUES
	('fcm-f9b71f52-04f0-47aa-abd5-7de235a1f56c', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'held 10', 'jotJeuEhHadqzAnYVv8M0NDif9t4rj1hKaGCx8mihkc', 'com.example.app', NULL, '{}', 1795408035945, NULL),
	('fcm-718d2f5d-0cdd-4734-9500-1f7d93c5e9c7', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'held 11', 'Yqab4r4kCNxNEDKKp_h28ckTzHWEmpkJl8eb8XH5kY8', 'com.example.app', NULL, '{}', 1795408035949, NULL),
	('fcm-1c06bf90-cd0c-46dc-98f2-9f5b9b0d5ead', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'held 12', 'EbFfAiTYOqh7eL0IprnNA9D7r1ZPMVj-fJstXqDpEH0', 'com.example.app', NULL, '{}', 1795408035965, NULL),
	('fcm-b864a411-eb9d-41cf-9c55-d2e8d13950b2', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'held 13', 'EMR623kvLJ-XEyn5-6OtKOUymZVc625puGKa9dqV16E', 'com.example.app', NULL, '{}', 1795408035977, NULL),
	('fcm-09769d7b-b2e7-4505-94bc-b515a8cfee0f', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'held 14', 'QOD8EJOfxBnYPUk0-zguR1dYghEbBpUPs6i8yrOlRkk', 'com.example.app', NULL, '{}', 1795408035979, NULL),
	('fcm-8397a406-c575-4b3d-b1aa-d3c6ec72dc6f', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'done 0', 'FOYfKDn1RuEVUlAW5TkNDJYZZ5UHuR1H09YzPdDEFWQ', 'com.example.app', NULL, '{}', 1795408035987, NULL),
	('fcm-2b5e8990-aee3-41ae-b534-854390a93988', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'done 1', '2oM6yu_RIYOpz8yKh_s5h4rlhy9TDQ-MiNj6ecCQsOk', 'com.example.app', NULL, '{}', 1795408035989, NULL),
	('fcm-d77b174b-c2dc-4bc2-910d-3c209f6df0b0', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'done 2', 'S9PugxSPS8Auo8JPk0p9Qxk4ryleGWw1e-FwU1E_v-E', 'com.example.app', NULL, '{}', 1795408035991, NULL),
	('fcm-a1146a7f-596d-45a6-8665-749aca4ce2cc', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'done 3', '-Xt1RM1fF3DmuyN-OqV04Q9Y7b7HWvaaXp45ailvMVY', 'com.example.app', NULL, '{}', 1795408035995, NULL),
	('fcm-58f19557-1ccb-4a13-9c22-ba0f07abb112', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'done 4', 'COoaav_lqo5Emh0RL5vDaSzBTqgoHISO1UxEKuxL-b4', 'com.example.app', NULL, '{}', 1795408036000, NULL),
	('fcm-12feb864-2a39-47f4-acb0-902c838f5ef0', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'later 0', 'EpnuVDFG1vAr9hrO-8CHg0CAeZLZDyubGq2pcgI0Mqo', 'com.example.app', NULL, '{}', 1795408036016, NULL),
	('fcm-17276686-2762-4db6-aee5-3dfe774fa7f8', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'later 1', 'cKDZa7FB9LkO95-rbPAsr21GqvTzmM4RbveeD6s3KSE', 'com.example.app', NULL, '{}', 1795408036022, NULL),
	('fcm-b98a164c-7bd2-4e09-b817-68d0a692075c', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'later 2', '-1JojCVLJqyQ1ENSdu83hjJ5bE_HO6JqzF7XDMLF558', 'com.example.app', NULL, '{}', 1795408036029, NULL),
	('fcm-556f622d-a44d-4f1e-aacf-066356d850eb', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'later 3', 'Fj1gWECEgGDnr5yajMzMlJIa5C6w418K5K-SSyYOZ7I', 'com.example.app', NULL, '{}', 1795408036045, NULL),
	('fcm-a95b738e-f5b6-467c-b5d4-73dfd3847027', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'later 4', 'fuPKCH85q_z9meROI5-SHRgIyfsgv9gbQlCVAikQeHM', 'com.example.app', NULL, '{}', 1795408036051, NULL),
	('fcm-bf1a9a59-ddfa-4409-8ed0-56407eec93b9', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'later 5', 'H9XRO6-tAG1TJguOsDk7B0RNo_NaOvR3WjsojW_cdGQ', 'com.example.app', NULL, '{}', 1795408036056, NULL),
	('fcm-ce0d88b7-c8c3-40dd-a769-6851061d15d6', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'later 6', 'vaCQPqdDT23omWvPoGV2ZWs7nyt_pBxD2rJaHLWI34k', 'com.example.app', NULL, '{}', 1795408036063, NULL),
	('fcm-ba5e0811-3464-4f70-bf75-cb487f1c4a49', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'later 7', 'sKCTdjxFeyaOko_5a7IXyvdsJnLnpMSnmV6wep1aFCY', 'com.example.app', NULL, '{}', 1795408036065, NULL),
	('fcm-657fb2a2-d6f6-4927-928b-80cee03c78d6', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'later 8', 'sAI_Ips3zG-RSVcZbhMNKvjGb-fP11EWyp8-Zv0HCI4', 'com.example.app', NULL, '{}', 1795408036079, NULL),
	('fcm-beb7d505-bee5-4e4d-aab1-5865e464a20e', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'later 9', 'lXr9OYtNndx_auIwuAYqTME2eBVzKDEhW09B_-ay0wE', 'com.example.app', NULL, '{}', 1795408036085, NULL),
	('fcm-42ae6da2-528c-40d2-93f1-93dc0f0a57aa', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'users 0', '2lzrweWvnO8xgGfDuUtEMjiZRtXGBy-tQemH2wVLBmI', 'com.example.app', 'user 0', '{}', 1795408036093, NULL),
	('fcm-975d1e94-111a-4f17-b179-6750f47a3ca1', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'users 1', 'zad8WLV_sGGfJv5cauUcJrlgB7eWqW323lqKAya3fno', 'com.example.app', 'user 1', '{}', 1795408036134, NULL),
	('fcm-e4df5c38-2d79-4e0d-816b-6cc1479c03b6', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'users 2', 'y8si0nG8nPC3V17K1ZLjCg5bTIrxNB69sEF3K-cPEqY', 'com.example.app', 'user 2', '{}', 1795408036154, NULL),
	('fcm-5dfb6dd6-92bf-43df-9731-91c395a304b6', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'users 3', 'ARxqBy7sXyDYxo16WD_IlOJ0xRVCgdlSnjbsuy5pX8A', 'com.example.app', 'user 3', '{}', 1795408036161, NULL),
	('fcm-e0618d44-2ab9-4a00-b477-d6a73e9abaac', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'users 4', 'DKMT1KHsplNncFOSUTl30musYM2kedVIsyOpZLrIyNY', 'com.example.app', 'user 4', '{}', 1795408036171, NULL),
	('fcm-98e4bf91-c104-45cd-9f3c-adc4dc0bb2ca', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 'users 5', 'e8HjdfFOkYmTfxuRYkThawhlBERKSFFJm59TuuDWQp8', 'com.example.app', 'user 5', '{}', 1795408036180, NULL),
	('apns-d2875c22-1e9e-40e9-a7eb-f1a54241bb7c', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-0', '25eUD6rqVVZtpK4wKQkzV4ROUtB3ziesNPLDr_aDWZQ', 'com.example.app', NULL, '{}', 1795408036183, NULL),
	('apns-05f00e7d-c458-4252-93c9-3e549e28542a', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-1', 'v-EeHpx1rHDUSOuCSnSMuVHQgv48CxPWco__qtxcdHk', 'com.example.app', NULL, '{}', 1795408036185, NULL),
	('apns-f8d7ae65-60b2-4912-ab0d-fea938478ba7', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-2', 'BGhy5hEPF_BJx2G30iqfK65aej5jPpS0PQmvWUtejJQ', 'com.example.app', NULL, '{}', 1795408036200, NULL),
	('apns-ef51deab-969a-4b0e-9bbe-414208c79995', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-3', 'PKCU63VB6jy_Yax0ayasFeXPkedNgA5a2JBK6uTcVgI', 'com.example.app', NULL, '{}', 1795408036209, NULL),
	('apns-3d7c7748-6260-4201-8e81-18f57848f6b3', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-4', 'SLI37X0leWSrVn-Fm2uxpe6k2iI44k2k3mtex3Cm8uo', 'com.example.app', NULL, '{}', 1795408036219, NULL),
	('apns-bab1c58c-cf71-45a3-bfbf-712b5fa1497e', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-5', 'pc4QEvNfWPhI4STxMzo-6BFUBUrKooZ-GwpkaRNN8Qg', 'com.example.app', NULL, '{}', 1795408036232, NULL),
	('apns-bf40c01c-f46f-43de-afea-ed3111692563', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-6', 'ze2XI7om2lTiPMEu9L9WJoZCTRe0XHgDyoZMTMVsq0Y', 'com.example.app', NULL, '{}', 1795408036237, NULL),
	('apns-dd58ea2a-7497-42d9-94bd-e12420a85be9', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-7', 'vj6mMD7rCdgfZdECtUhWzHQHVfYQTQZK_RJxwNCjBLo', 'com.example.app', NULL, '{}', 1795408036242, NULL),
	('apns-a8fe8be4-310a-4654-a634-8c248305ac3d', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-8', 'xNgA7ushZQgOgEOQai1C4y8c88UeCQJpDbQHknIb6uU', 'com.example.app', NULL, '{}', 1795408036246, NULL),
	('apns-d366705f-989e-4d31-8106-08435ab1c32b', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-9', '__SGppw6qJKchsJWqrFzo5k_F95fzc7r6NMtuy4vaMo', 'com.example.app', NULL, '{}', 1795408036253, NULL),
	('apns-e125b752-b7fa-48b3-bca5-54e493c8cef0', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-10', 's2lzQ7Bg_HFu8jlPQze0YClv0FjGw9SF7I7q3TgL04I', 'com.example.app', NULL, '{}', 1795408036255, NULL),
	('apns-ac35ff93-9a78-4fa5-bc82-7a649d7c3e9a', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-11', 'sGjeso5rPSpSHtigMZAEWOwZebRWJrwVtmFLyceXpvA', 'com.example.app', NULL, '{}', 1795408036257, NULL),
	('apns-2c882907-191f-4627-a6d8-aeae6dce3349', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-12', 'ofT3AFAXy6txSyvhERWqTqTSnxhtDOiCLf-9e6EChcg', 'com.example.app', NULL, '{}', 1795408036259, NULL),
	('apns-6edbfd62-e151-47ba-8915-0060ddc78a1e', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-13', 'GYjHMmyLJZCGWNBZjAuZwDm3FI9TWUiEL-T8CY8Fvws', 'com.example.app', NULL, '{}', 1795408036270, NULL),
	('apns-614ec272-9358-49f7-a747-06e30f75a717', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-14', 'UF7WBlfZAiQjHWdfykJW-PECGlCgeKeZ85by28dl66M', 'com.example.app', NULL, '{}', 1795408036272, NULL),
	('apns-5c33906a-abcf-4c46-8dfb-f8fc079d6d47', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-15', 'k3QvIH0qc19V7pNWSn00KRJ5R2Rjl7O-dGRr1XqbowU', 'com.example.app', NULL, '{}', 1795408036274, NULL),
	('apns-87077d1c-1f19-43bf-895f-4b3c0f7940ae', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-16', 'KtyybOSJVwr1hoYTOoSRqdmTnqva-DfVyN91_mRoOvg', 'com.example.app', NULL, '{}', 1795408036275, NULL),
	('apns-086145fe-7ed2-41af-ba34-49052b3678bf', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-17', '9W5F5tUpcnzTe655yNo6wsGLWoCL25gzRdCT78EiRj8', 'com.example.app', NULL, '{}', 1795408036277, NULL),
	('apns-79bc6da8-1523-4397-8a92-3a894c783f96', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-18', '0UZAuJfwomZtMBKpKCmnvE64oQLsS09LzqfQb-UqMAE', 'com.example.app', NULL, '{}', 1795408036278, NULL),
	('apns-61af727d-3b0b-4909-bce5-d3721ea6d8b0', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-19', 'D73bWJWNRQ7VjfWIuIcfZDehhw3YNfiZIuLtMcuFlqk', 'com.example.app', NULL, '{}', 1795408036279, NULL),
	('apns-7f68fb16-25ce-4f97-89b4-da31cdcda224', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-20', 'bU9IOMTBYUq1yEFtP24tfzCqrt5fCecwAkIGPJOtA8E', 'com.example.app', NULL, '{}', 1795408036281, NULL),
	('apns-db007902-efa6-4974-ab15-0ae644a1245c', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-21', 'lpwWqrhYeErx2lNylNidN6vPb8LKRv_dC2_qFdJqs2M', 'com.example.app', NULL, '{}', 1795408036282, NULL),
	('apns-7262cd31-1366-482a-94e7-2074058d047a', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-22', '3lRU-e0__dy3oRs0_PxNxvwwy1TdQEcvyBE9sVvy0-g', 'com.example.app', NULL, '{}', 1795408036289, NULL),
	('apns-37019a2e-73ca-45a4-a747-6203621038f4', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-23', 'nktS3tA6F0dEW40HvvXk7kbK4Nk1BaKf-ElQkZeMg1Q', 'com.example.app', NULL, '{}', 1795408036293, NULL);
INSERT INTO public.rookery_devices VALUES
	('apns-ea4801d4-7a8b-4922-abc1-e6a551630330', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-24', 'sXcVf_QzQkj_SadRRHaF8L_vJc2hpnofPVlPywVK_k8', 'com.example.app', NULL, '{}', 1795408036300, NULL),
	('apns-bfb28898-b51b-4feb-be1d-ae95e3da3a80', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-25', '98xYiWX9m93bi1u4m436SrYPjb5OmZzDJKGw8HKfdPM', 'com.example.app', NULL, '{}', 1795408036302, NULL),
	('apns-aed38533-2ecf-4b8d-80f6-2728534fefa7', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-26', 'xTmtAH05NRCqZUxHsWvn8iNAvC55EpOOF4pe9Azj8dE', 'com.example.app', NULL, '{}', 1795408036313, NULL),
	('apns-66bd7b34-1f2e-4854-9001-7be532165468', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-27', 'no4u1-nfBV6b_AwYn0FA1mnSYt9cxJh4fOd1jODkoAQ', 'com.example.app', NULL, '{}', 1795408036318, NULL),
	('apns-976125e0-95b0-4beb-8a93-a1de82579162', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-28', 'PBD5yZ7JrFunrAbsFZYZSpc6mOBqvdf_OIEksW-SR8g', 'com.example.app', NULL, '{}', 1795408036319, NULL),
	('apns-5fc73c9f-ab5e-4442-bc27-8b610a0391a5', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-29', 'I_1xWTpxgPplUWl5Rw8wd6AgpgnE-xmX3cn8OO7bq4w', 'com.example.app', NULL, '{}', 1795408036326, NULL),
	('apns-f360cddf-7496-494c-a028-8c133f20e07d', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-30', '5_C8eg14WlvPY3KD8qqbNlkDhvTDYM2ZOdYykufigKg', 'com.example.app', NULL, '{}', 1795408036332, NULL),
	('apns-5a28a6a9-1d32-45ce-8d2a-e59321e48a9b', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-31', 'pG5MSIWmEGhB8e-FJfjiBlL3QQzg1oQKL6ZP0IED_J0', 'com.example.app', NULL, '{}', 1795408036334, NULL),
	('apns-ccf16f86-57e4-4184-b745-5425d3a74344', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-32', 'FymHFil_uo59endvEbC5bp6-DRTZJudptGq_mzHt2RY', 'com.example.app', NULL, '{}', 1795408036335, NULL),
	('apns-c3fcfcb4-19fd-4654-8421-b861ed5bfe61', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-33', 'W7N4TF5-RofakjlpCOFGim7WeFwxSqQGxi2xHauWTr0', 'com.example.app', NULL, '{}', 1795408036337, NULL),
	('apns-a90ec4ea-0291-46ec-8f9d-97ebaa5458e8', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-34', 'i_PEqPG4ijrZGh8GijLT4WutmdrPNvK-v6yYsxZ-i44', 'com.example.app', NULL, '{}', 1795408036342, NULL),
	('apns-3b931730-17c4-469c-be85-29e10b9f3651', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-35', '9UQXiGVV5HSek97A4VJuoeQfNiUEZzHgXvsxlaCYf_Y', 'com.example.app', NULL, '{}', 1795408036344, NULL),
	('apns-4a9285dc-cc39-4ae2-adfc-c6942c15c359', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-36', 'mv0ljGyGFuHHcy2zOPGd2izDLjD0vudzoorSASHrvGE', 'com.example.app', NULL, '{}', 1795408036349, NULL),
	('apns-e8b62a61-46e4-4923-b505-ca9e6ae04d23', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-37', 'Vj2CQFjJPZ0LtAX44UAqKhQI8Xj5gHY2hEnIwyjyXqE', 'com.example.app', NULL, '{}', 1795408036354, NULL),
	('apns-77945ff0-a083-4f39-8ca1-9e251cf236b5', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-38', 'lYQSrSuumIajdsnLkjXjQJmgaapq0-00TyxTsGok1og', 'com.example.app', NULL, '{}', 1795408036358, NULL),
	('apns-8cb57748-f513-4908-a9f6-817849a40048', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 'apple-39', 'r7zkviIugwr_4Rf_5a0Q1b52KXBYV41jyNiIOTnG_Uc', 'com.example.app', NULL, '{}', 1795408036360, NULL),
	('fcm-4f79a42c-1a1e-4762-9802-5bf51df988e9', '11111111-2222-4333-8444-555555555555', 'fcm', 'gone 0', 'M0V4bJwjc4PhBQLcKbUl-I0CJpu_EXXkl6vD-2htGz8', 'com.example.app', NULL, '{}', 1795408036363, NULL),
	('fcm-a3510e0d-9479-429f-93b8-aaf7253fa820', '11111111-2222-4333-8444-555555555555', 'fcm', 'gone 1', '_9hpSOCO6khoV5zxeVULm82Egib5oSGi8g6XqI-PDhg', 'com.example.app', NULL, '{}', 1795408036365, NULL),
	('fcm-03f74980-811d-491a-a40d-d47295e1c1c7', '11111111-2222-4333-8444-555555555555', 'fcm', 'gone 2', 'gS494go03K1Eu0XjaRzbBDXMSstJY23aC0gfqL5-q1E', 'com.example.app', NULL, '{}', 1795408036371, NULL),
	('fcm-f580046c-3ca0-4841-bfb5-456a402c29dc', '11111111-2222-4333-8444-555555555555', 'fcm', 'gone 3', 'HpAaXF8X6B0VqYLs5pPpP4StGzMV3uz045K5X0dLq_U', 'com.example.app', NULL, '{}', 1795408036373, NULL),
	('fcm-f32edf40-4414-4bae-9e39-ca1a76dfa386', '11111111-2222-4333-8444-555555555555', 'fcm', 'gone 4', 'Z5QKrCajgtkdYOHe-QIc3bdAyCbNV9jhElxxJvcqHFw', 'com.example.app', NULL, '{}', 1795408036375, NULL),
	('fcm-641216d0-ad5e-4d83-abac-c3814c6146dc', '11111111-2222-4333-8444-555555555555', 'fcm', 'gone 5', 'Lrn9pkTgbuVcIE08dbcTxD6wprHd0UJMGeTRI6guaqI', 'com.example.app', NULL, '{}', 1795408036379, NULL),
	('fcm-cde059ba-c7f5-4c85-84f2-71b29096cf3c', '11111111-2222-4333-8444-555555555555', 'fcm', 'gone 6', 'z9c5tsdkeA9thSqz2bFE1EWILtrobKw_L4RdLiH9WRA', 'com.example.app', NULL, '{}', 1795408036384, NULL),
	('fcm-d5a051c5-86ef-4785-818e-29fb8ac87b9d', '11111111-2222-4333-8444-555555555555', 'fcm', 'gone 7', 'dioHq_dRwx66HQdaM31qNZPmb1CiWVT3VGhmfSOqZG8', 'com.example.app', NULL, '{}', 1795408036388, NULL),
	('fcm-7fd9a837-0ab4-43e3-9e1f-4c0a1bdb237c', '11111111-2222-4333-8444-555555555555', 'fcm', 'gone 8', '132Yvm0VVOxcaYPPJYn-Naj_NMxhkMGXg97cSTC8hsM', 'com.example.app', NULL, '{}', 1795408036391, NULL),
	('fcm-4e3812dd-b8bb-4ee9-b1a7-716350caeb43', '11111111-2222-4333-8444-555555555555', 'fcm', 'gone 9', 'qYWcIJL4PDzg2z04tE3H4xaJecGpQZyRMComGhx08o0', 'com.example.app', NULL, '{}', 1795408036392, NULL),
	('fcm-3cf9b8bf-3bf3-4bad-a7d1-504b6a2584ca', '11111111-2222-4333-8444-555555555555', 'fcm', 'gone 10', 'wdh4u9e0VUKXx3h2UamzHyYrBLlbtpa7k5g3aB_BPnQ', 'com.example.app', NULL, '{}', 1795408036394, NULL),
	('fcm-e5c4fe02-f927-43af-a866-c9d72a8629ad', '11111111-2222-4333-8444-555555555555', 'fcm', 'gone 11', 'XLPqh92sTLN4lV8-OEoF0ONaEpfTV-nlbn6F5SxSNv4', 'com.example.app', NULL, '{}', 1795408036397, NULL);
INSERT INTO public.rookery_gateway_answers VALUES
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'fcm', 1795406400000, 2, 0),
	('11111111-2222-4333-8444-555555555555', 'fcm', 1795406400000, 0, 12),
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'apns', 1795406400000, 9, 0);
INSERT INTO public.rookery_gone_devices VALUES
	('11111111-2222-4333-8444-555555555555', 'fcm', 'fcm-03f74980-811d-491a-a40d-d47295e1c1c7', 1795408036371, 'pubid-52e0e2fe-1126-4511-962d-3ae53d88ccec'),
	('11111111-2222-4333-8444-555555555555', 'fcm', 'fcm-3cf9b8bf-3bf3-4bad-a7d1-504b6a2584ca', 1795408036394, 'pubid-52e0e2fe-1126-4511-962d-3ae53d88ccec'),
	('11111111-2222-4333-8444-555555555555', 'fcm', 'fcm-4e3812dd-b8bb-4ee9-b1a7-716350caeb43', 1795408036392, 'pubid-52e0e2fe-1126-4511-962d-3ae53d88ccec'),
	('11111111-2222-4333-8444-555555555555', 'fcm', 'fcm-4f79a42c-1a1e-4762-9802-5bf51df988e9', 1795408036363, 'pubid-52e0e2fe-1126-4511-962d-3ae53d88ccec'),
	('11111111-2222-4333-8444-555555555555', 'fcm', 'fcm-641216d0-ad5e-4d83-abac-c3814c6146dc', 1795408036379, 'pubid-52e0e2fe-1126-4511-962d-3ae53d88ccec'),
	('11111111-2222-4333-8444-555555555555', 'fcm', 'fcm-7fd9a837-0ab4-43e3-9e1f-4c0a1bdb237c', 1795408036391, 'pubid-52e0e2fe-1126-4511-962d-3ae53d88ccec'),
	('11111111-2222-4333-8444-555555555555', 'fcm', 'fcm-a3510e0d-9479-429f-93b8-aaf7253fa820', 1795408036365, 'pubid-52e0e2fe-1126-4511-962d-3ae53d88ccec'),
	('11111111-2222-4333-8444-555555555555', 'fcm', 'fcm-cde059ba-c7f5-4c85-84f2-71b29096cf3c', 1795408036384, 'pubid-52e0e2fe-1126-4511-962d-3ae53d88ccec'),
	('11111111-2222-4333-8444-555555555555', 'fcm', 'fcm-d5a051c5-86ef-4785-818e-29fb8ac87b9d', 1795408036388, 'pubid-52e0e2fe-1126-4511-962d-3ae53d88ccec'),
	('11111111-2222-4333-8444-555555555555', 'fcm', 'fcm-e5c4fe02-f927-43af-a866-c9d72a8629ad', 1795408036397, 'pubid-52e0e2fe-1126-4511-962d-3ae53d88ccec'),
	('11111111-2222-4333-8444-555555555555', 'fcm', 'fcm-f32edf40-4414-4bae-9e39-ca1a76dfa386', 1795408036375, 'pubid-52e0e2fe-1126-4511-962d-3ae53d88ccec'),
	('11111111-2222-4333-8444-555555555555', 'fcm', 'fcm-f580046c-3ca0-4841-bfb5-456a402c29dc', 1795408036373, 'pubid-52e0e2fe-1126-4511-962d-3ae53d88ccec');
INSERT INTO public.rookery_instances VALUES
	('11111111-2222-4333-8444-555555555555', '{"id":"11111111-2222-4333-8444-555555555555","secretKey":"F8AC0B756E50DF235F642D6F0DC2CDE0328CD9184B3874C5E91AB2189BB722FE","fcm":{"endpoint":"https://localhost:33159","serviceAccount":{"project_id":"rookery-tests","client_email":"sender@rookery-tests.iam.gserviceaccount.com","private_key":"-----BEGIN PRIVATE KEY-----\nMIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQC3jHjNsw3VOAOs\nf1CKuj/MPQ8wpI4Ke3w69USvAisqRferSPqiIgRIQbN7i/9V/lh7r8T6EDnzPOhp\nt7xB44Ea+0l/Gr/HL/klf3aUcBiWoUUAQT1x4G5t5sx1OIKjaXX2xNUdhXtyGRrH\n0iQge4PXWg61SDtRi/fBYMmt+nLFtU26yTTxyKpNoL/nYqbWPtDBnN5hZ0ZeBs7T\nXaDr0NMNdCaBCjZlUftY2SueEd61FkkgxFwGNVD8Qwjd3ceUZTasvV/lQzOKNjM0\noCzkaDJ8OsAIqUJ4DbUktuaBun69uLEsl8VN1eyau4eMZQVfWplE1trV1+qhzo8j\nF0tqTfehAgMBAAECggEALdJywh+GP4mZWTH7gHaYwLsplKIwF6vWSr26ZNpsvkPz\nXZ59e4Z0fTlxvlEn8Gbr3gz2ZtswLGozN1k4NVa/f2XmZkXeRLLURyk4CDyn1srx\n9+tRlKFL0EIDHux5qKQGYBGphpIxTD26MtJiVH2hX1zLOTSMIoKH2o34K2fPyU1a\nhqBAcLtmcfQDAjZNeKHnMCIP7zjvsJ9jBi+/ug+blr3hhrRPeswwCUS1+2S1Q/RN\nZRlYhOuhV8mjqFT5Qb2axAY9fdUqAmGB6ePYEGi4YDIYkq8mnxjxfsmJVv6O8iUq\nEMECxjIdx3vcP3yEBf7/fdMcp+1e+y8mNszrWIuhMQKBgQDhcj85Ae3CoYeN2bDt\nUuqFpZkbXH384f5nGDN2BTcCyExdRPQFrUu578z95Im2pgQIff4oMar2FUXnXLQ/\n8O6GwpIuXR+H3h09cRNIJnptgWubwnkucO4YBbTAtJQcigErqKmncE9Lfmj2I1/r\ndJfeMcQp0A4+A8B1S7dgxtTsrQKBgQDQbJvWFlFdiQrFBZ2TifEsNMOntfVuMv3Z\nWbQMzIscYxysK0zPnLHDtgzc+BfhEulcizLEX2uq0gmsOyHWhPRHBfUoDHCX8tRP\n6lvPSTSvU10UNUschS6oKA1FSlfIMY5N3EGNvOdX96LTU1I/mkG2wjs5qrzYX48e\nnUqCXCOBRQKBgHNwYrs4J5zfxV93NsdvC7N/hhSimcihl/kGRWOLbA26ro+bvTAi\n+oGtLtRa78Fc5PfMPBYsyJPVdMPxjkKnhhvvCZdAC+MwctyBSBRLz6i++nD5db+4\nB9K5KUL7tFOgvtSyOp0IPzIy+l/+4SDZxOH7rayTYpeSqDvnl3Cwn1rJAoGANnL5\nLy+7Z+UiVCBIbz/NKpBKQOkPSg+2M27005coDG10EyJouaAk7I0FxUBm9Jy9LDkN\nNTH8ba7bagw0pdcr/dX3mtPNIlUE1C/Udk2Ynuj3Ww0lJzk/3BxCg0SNtDYGCB8v\nXPjpsxh1iCGvTgBdhIIveLw7A4fLWuMakP3DJMUCgYASh6RHlBjag4ZOb65UAS8i\nHMcaxXjy5fQVj+khNKITRb14gUW+wBUeRvzqo/R9zRMdo1/HfB2iD0rUsStO/o9s\nb6dSLNzdYY/tV7bKy/EZoD6iwV6t2ZVLK0qB0V3QzfpUueo2HMtPMTdZXPNtIE91\n+A7exiG2GDMLb/l6bqkXpQ==\n-----END PRIVATE KEY-----\n","private_key_id":"key-1","token_uri":"https://localhost:33159/token"}}}');
INSERT INTO public.rookery_migrations VALUES
	('CreateDevices1763700000000', '2026-11-23T04:27:14.687Z'),
	('CreatePublishes1763700100000', '2026-11-23T04:27:14.740Z'),
	('CreateAppsAndInstances1763700200000', '2026-11-23T04:27:14.748Z'),
	('FenceWebhooks1763700300000', '2026-11-23T04:27:14.771Z'),
	('HoldDeletions1763800000000', '2026-11-23T04:27:14.781Z'),
	('CountReports1763810000000', '2026-11-23T04:27:14.785Z'),
	('CancelPublishes1763900000000', '2026-11-23T04:27:14.852Z'),
	('CreatePublishOutcomes1763910000000', '2026-11-23T04:27:14.861Z'),
	('CreatePublishRates1763920000000', '2026-11-23T04:27:14.867Z'),
	('CreateStorageChecks1764000000000', '2026-11-23T04:27:14.871Z'),
	('SeveralKeys1764100000000', '2026-11-23T04:27:14.875Z'),
	('SharePublishes1764200000000', '2026-11-23T04:27:14.885Z'),
	('SeeDevices1764300000000', '2026-11-23T04:27:14.920Z'),
	('BuryWebhooks1764310000000', '2026-11-23T04:27:14.925Z'),
	('CreateTriggers1764360000000', '2026-11-23T04:27:14.936Z'),
	('TriggerBySql1764361000000', '2026-11-23T04:27:14.940Z'),
	('CreateNotifications1764390000000', '2026-11-23T04:27:14.953Z'),
	('VersionSettings1764396000000', '2026-11-23T04:27:14.958Z'),
	('ListPublishes1764396500000', '2026-11-23T04:27:14.959Z');
INSERT INTO public.rookery_notifications VALUES
	('f1458030-5743-4838-a8bf-c377555e1d7b', '3', 'user 2', 'message', '{}', '{"fcm":{"data":{"publish":"notified"}}}', NULL, NULL, 1795408043885, 1795411043885, 1795411043885, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('49be2850-fbee-407b-a69d-02df076055ec', '3', 'user 3', 'message', '{}', '{"fcm":{"data":{"publish":"notified"}}}', NULL, NULL, 1795408043917, 1795411043917, 1795411043917, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('7b11533a-a3a2-49c3-856e-bd984128e053', '3', 'user 4', 'message', '{}', '{"fcm":{"data":{"publish":"notified"}}}', NULL, NULL, 1795408043923, 1795411043923, 1795411043923, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
	('9791e520-9ee6-41d8-bdee-f7c38f997c70', '3', 'user 5', 'message', '{}', '{"fcm":{"data":{"publish":"notified"}}}', NULL, NULL, 1795408043942, 1795411043942, 1795411043942, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.rookery_publish_deletions VALUES
	('pubid-52e0e2fe-1126-4511-962d-3ae53d88ccec', 'fcm', '11111111-2222-4333-8444-555555555555', 12, 0);
INSERT INTO public.rookery_publish_keys VALUES
	('0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 'once', 'Xc40Orh9lK041E2NlYoKQswZwhyAsC7rdx31tJJ72-k', 'pubid-e63b879c-edc1-46c0-bf1f-d932c4574595', 1795494443205);
INSERT INTO public.rookery_publish_lanes VALUES
	('pubid-52e0e2fe-1126-4511-962d-3ae53d88ccec', 'apns', '{"platform":"apns","cursor":"apns-","paged":true,"audience":0,"sent":0,"failed":{},"users":""}'),
	('pubid-e63b879c-edc1-46c0-bf1f-d932c4574595', 'apns', '{"platform":"apns","cursor":"apns-","paged":true,"audience":0,"sent":0,"failed":{},"users":""}'),
	('pubid-62275d17-d7f7-4fe2-b783-88ff769e8b48', 'apns', '{"platform":"apns","cursor":"apns-","paged":true,"audience":0,"sent":0,"failed":{},"users":"--"}'),
	('pubid-62275d17-d7f7-4fe2-b783-88ff769e8b48', 'fcm', '{"platform":"fcm","cursor":"fcm-975d1e94-111a-4f17-b179-6750f47a3ca1","paged":true,"audience":2,"sent":2,"failed":{},"users":"dd"}'),
	('pubid-e63b879c-edc1-46c0-bf1f-d932c4574595', 'fcm', '{"platform":"fcm","cursor":"fcm-d77b174b-c2dc-4bc2-910d-3c209f6df0b0","paged":true,"audience":5,"sent":5,"failed":{},"users":""}'),
	('pubid-52e0e2fe-1126-4511-962d-3ae53d88ccec', 'fcm', '{"platform":"fcm","cursor":"fcm-f580046c-3ca0-4841-bfb5-456a402c29dc","paged":true,"audience":12,"sent":0,"failed":{"unregistered":12},"users":""}'),
	('pubid-5c66d183-f48c-484f-8dfb-4518f9bcdef3', 'apns', '{"platform":"apns","cursor":"apns-e8b62a61-46e4-4923-b505-ca9e6ae04d23","paged":false,"audience":36,"sent":35,"failed":{},"users":""}'),
	('pubid-5c66d183-f48c-484f-8dfb-4518f9bcdef3', 'fcm', '{"platform":"fcm","cursor":"fcm-3391c84e-9f44-4087-9dae-2774408318e5","paged":false,"audience":45,"sent":44,"failed":{},"users":""}');
INSERT INTO public.rookery_publish_outcomes VALUES
	('pubid-62275d17-d7f7-4fe2-b783-88ff769e8b48', 'fcm-975d1e94-111a-4f17-b179-6750f47a3ca1', 1795408043638, '{"sent":["fcm-42ae6da2-528c-40d2-93f1-93dc0f0a57aa","fcm-975d1e94-111a-4f17-b179-6750f47a3ca1"],"failed":{},"retrying":{}}'),
	('pubid-e63b879c-edc1-46c0-bf1f-d932c4574595', 'fcm-d77b174b-c2dc-4bc2-910d-3c209f6df0b0', 1795408043638, '{"sent":["fcm-2b5e8990-aee3-41ae-b534-854390a93988","fcm-58f19557-1ccb-4a13-9c22-ba0f07abb112","fcm-8397a406-c575-4b3d-b1aa-d3c6ec72dc6f","fcm-a1146a7f-596d-45a6-8665-749aca4ce2cc","fcm-d77b174b-c2dc-4bc2-910d-3c209f6df0b0"],"failed":{},"retrying":{}}'),
	('pubid-52e0e2fe-1126-4511-962d-3ae53d88ccec', 'fcm-d5a051c5-86ef-4785-818e-29fb8ac87b9d', 1795408043696, '{"sent":[],"failed":{"unregistered":["fcm-03f74980-811d-491a-a40d-d47295e1c1c7","fcm-3cf9b8bf-3bf3-4bad-a7d1-504b6a2584ca","fcm-4e3812dd-b8bb-4ee9-b1a7-716350caeb43","fcm-4f79a42c-1a1e-4762-9802-5bf51df988e9","fcm-641216d0-ad5e-4d83-abac-c3814c6146dc","fcm-7fd9a837-0ab4-43e3-9e1f-4c0a1bdb237c","fcm-a3510e0d-9479-429f-93b8-aaf7253fa820","fcm-cde059ba-c7f5-4c85-84f2-71b29096cf3c","fcm-d5a051c5-86ef-4785-818e-29fb8ac87b9d"]},"retrying":{}}'),
	('pubid-52e0e2fe-1126-4511-962d-3ae53d88ccec', 'fcm-f580046c-3ca0-4841-bfb5-456a402c29dc', 1795408043824, '{"sent":[],"failed":{"unregistered":["fcm-e5c4fe02-f927-43af-a866-c9d72a8629ad","fcm-f32edf40-4414-4bae-9e39-ca1a76dfa386","fcm-f580046c-3ca0-4841-bfb5-456a402c29dc"]},"retrying":{}}'),
	('pubid-5c66d183-f48c-484f-8dfb-4518f9bcdef3', 'fcm-07af0865-e448-4f36-8cdd-3638f52970e3', 1795408044105, '{"sent":["fcm-0016be95-8ed2-4ded-970e-5dd0ac62b434","fcm-01814c63-ac60-41d2-859b-89cfa8d6c1f7","fcm-02c8a582-ce24-4b5c-a09b-24df4c7e39b5","fcm-035fb94a-fd53-4da8-8d6f-12d07473d226","fcm-03634194-40fc-4db0-b794-077acf4a73a1","fcm-054e5f05-c4aa-4fbd-808e-95d4a3f3d394","fcm-060cba4c-0097-4085-8ee9-236aea0235b0","fcm-071c8969-e021-4c15-8649-afb3fea5b304","fcm-07af0865-e448-4f36-8cdd-3638f52970e3"],"failed":{},"retrying":{}}'),
	('pubid-5c66d183-f48c-484f-8dfb-4518f9bcdef3', 'fcm-0cd9849b-e87b-4e3d-ae39-8d5853485fe9', 1795408044223, '{"sent":["fcm-09a205d7-6823-42a9-8f50-503b7425760b","fcm-09d74c59-d14d-45c6-910a-8aeb4c404ff2","fcm-0a624875-2911-416b-b462-22e40689a40b","fcm-0b101e6b-c575-43ef-88cc-b20adb23b09e","fcm-0b209af7-6de5-4457-be2c-f2f3d8b4584a","fcm-0b5a9f19-4cd1-4612-8522-0fcad8b8cdc9","fcm-0b9752cf-1400-49e3-aada-5530227debdd","fcm-0cd9849b-e87b-4e3d-ae39-8d5853485fe9"],"failed":{},"retrying":{"UNAVAILABLE":["fcm-0bdd725b-f73f-4951-832b-86d896ab5f02"]}}'),
	('pubid-5c66d183-f48c-484f-8dfb-4518f9bcdef3', 'apns-5c33906a-abcf-4c46-8dfb-f8fc079d6d47', 1795408044229, '{"sent":["apns-05f00e7d-c458-4252-93c9-3e549e28542a","apns-086145fe-7ed2-41af-ba34-49052b3678bf","apns-2c882907-191f-4627-a6d8-aeae6dce3349","apns-37019a2e-73ca-45a4-a747-6203621038f4","apns-3b931730-17c4-469c-be85-29e10b9f3651","apns-3d7c7748-6260-4201-8e81-18f57848f6b3","apns-4a9285dc-cc39-4ae2-adfc-c6942c15c359","apns-5a28a6a9-1d32-45ce-8d2a-e59321e48a9b","apns-5c33906a-abcf-4c46-8dfb-f8fc079d6d47"],"failed":{},"retrying":{}}'),
	('pubid-5c66d183-f48c-484f-8dfb-4518f9bcdef3', 'fcm-15107bd0-0713-41e7-9e43-0ead2f62abd3', 1795408044337, '{"sent":["fcm-0d9ee7ea-ddef-418e-a758-5ada14f82a0a","fcm-0ddaf146-692a-4ab9-8643-793661cb3c67","fcm-0ee88916-ec0b-4a1b-a7ac-735821593e00","fcm-0f8b3352-7d7f-4af0-9d7f-d4415ff7d35e","fcm-10c84184-6765-4bd9-898e-6da67cadb08e","fcm-12037fa9-a952-46e7-aab1-77f3ae814031","fcm-13d331ba-e613-49a1-86aa-75e0e5f94356","fcm-14e047d8-44b1-48df-a9c1-bd56857f2300","fcm-15107bd0-0713-41e7-9e43-0ead2f62abd3"],"failed":{},"retrying":{}}'),
	('pubid-5c66d183-f48c-484f-8dfb-4518f9bcdef3', 'apns-7f68fb16-25ce-4f97-89b4-da31cdcda224', 1795408044341, '{"sent":["apns-5fc73c9f-ab5e-4442-bc27-8b610a0391a5","apns-614ec272-9358-49f7-a747-06e30f75a717","apns-61af727d-3b0b-4909-bce5-d3721ea6d8b0","apns-66bd7b34-1f2e-4854-9001-7be532165468","apns-6edbfd62-e151-47ba-8915-0060ddc78a1e","apns-7262cd31-1366-482a-94e7-2074058d047a","apns-77945ff0-a083-4f39-8ca1-9e251cf236b5","apns-79bc6da8-1523-4397-8a92-3a894c783f96","apns-7f68fb16-25ce-4f97-89b4-da31cdcda224"],"failed":{},"retrying":{}}'),
	('pubid-5c66d183-f48c-484f-8dfb-4518f9bcdef3', 'fcm-271d83bb-6e91-4284-8537-2853930a0915', 1795408044449, '{"sent":["fcm-15be85e9-9206-4d3d-8c87-c6dc3433351e","fcm-15fb7e5f-3c9e-44c1-86fb-0cfbc6c0d762","fcm-160f1623-7775-4ae4-a37f-e8bcb5519926","fcm-1825dd1b-ec20-4d35-9f1a-2fa0eac1d0b1","fcm-1d37cc98-b921-4192-86a5-7f2e2f112e25","fcm-1e083c89-e956-45fa-b2d7-2a65356bb4a3","fcm-1e306199-8774-40cb-96a2-efeace2a0aac","fcm-2124cefb-e1f6-40a6-b70f-2a0b10231e05","fcm-271d83bb-6e91-4284-8537-2853930a0915"],"failed":{},"retrying":{}}'),
	('pubid-5c66d183-f48c-484f-8dfb-4518f9bcdef3', 'apns-bf40c01c-f46f-43de-afea-ed3111692563', 1795408044470, '{"sent":["apns-87077d1c-1f19-43bf-895f-4b3c0f7940ae","apns-8cb57748-f513-4908-a9f6-817849a40048","apns-976125e0-95b0-4beb-8a93-a1de82579162","apns-a8fe8be4-310a-4654-a634-8c248305ac3d","apns-a90ec4ea-0291-46ec-8f9d-97ebaa5458e8","apns-ac35ff93-9a78-4fa5-bc82-7a649d7c3e9a","apns-aed38533-2ecf-4b8d-80f6-2728534fefa7","apns-bab1c58c-cf71-45a3-bfbf-712b5fa1497e","apns-bf40c01c-f46f-43de-afea-ed3111692563"],"failed":{},"retrying":{}}'),
	('pubid-5c66d183-f48c-484f-8dfb-4518f9bcdef3', 'apns-e8b62a61-46e4-4923-b505-ca9e6ae04d23', 1795408044605, '{"sent":["apns-bfb28898-b51b-4feb-be1d-ae95e3da3a80","apns-c3fcfcb4-19fd-4654-8421-b861ed5bfe61","apns-ccf16f86-57e4-4184-b745-5425d3a74344","apns-d2875c22-1e9e-40e9-a7eb-f1a54241bb7c","apns-d366705f-989e-4d31-8106-08435ab1c32b","apns-db007902-efa6-4974-ab15-0ae644a1245c","apns-e125b752-b7fa-48b3-bca5-54e493c8cef0","apns-e8b62a61-46e4-4923-b505-ca9e6ae04d23"],"failed":{},"retrying":{"ServiceUnavailable":["apns-dd58ea2a-7497-42d9-94bd-e12420a85be9"]}}'),
	('pubid-5c66d183-f48c-484f-8dfb-4518f9bcdef3', 'fcm-3391c84e-9f44-4087-9dae-2774408318e5', 1795408044599, '{"sent":["fcm-2c59b4ff-6334-4eb4-9c0d-171adfc59b3e","fcm-2ca44e79-9acf-4509-b5a5-a39f77fd1283","fcm-2e74095e-3ed7-4ea4-9752-f65ba7e50bba","fcm-2e774524-495c-4a40-a397-da191ede41ab","fcm-30c9e71b-5a23-4ba8-8da9-241cbd24c512","fcm-3131cd6f-3196-48e6-888d-2002f6a90a8b","fcm-31902c62-af93-421e-943f-0b5321dd5d10","fcm-32d4cbcd-c74a-4d3c-8e28-4d9345b0d499","fcm-3391c84e-9f44-4087-9dae-2774408318e5"],"failed":{},"retrying":{}}');
INSERT INTO public.rookery_publish_rates VALUES
	('publishes of 11111111-2222-4333-8444-555555555555', 1795408043152000),
	('publishes of 0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', 1795408047758000);
INSERT INTO public.rookery_publish_retries VALUES
	('pubid-5c66d183-f48c-484f-8dfb-4518f9bcdef3', 'fcm', 'fcm-0bdd725b-f73f-4951-832b-86d896ab5f02', 1, 1795408521484),
	('pubid-5c66d183-f48c-484f-8dfb-4518f9bcdef3', 'apns', 'apns-dd58ea2a-7497-42d9-94bd-e12420a85be9', 1, 1795408364242);
INSERT INTO public.rookery_publishes VALUES
	('pubid-6ab1ac3d-b45e-43dc-9f6e-bddc429e3e07', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', '{"audience":{"interests":["later"]},"payloads":{"fcm":{"data":{"publish":"later"}},"apns":{"aps":{"alert":"later"},"data":{"publish":"later"}}},"publishAt":1795411634621}', 1795408043255, 1795411634621, NULL, NULL, NULL, NULL),
	('pubid-9d95b3b2-ff04-444b-96f8-8be0e2835a57', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', '{"audience":{"interests":["cancelled"]},"payloads":{"fcm":{"data":{"publish":"cancelled"}},"apns":{"aps":{"alert":"cancelled"},"data":{"publish":"cancelled"}}},"publishAt":1795411634621}', 1795408043287, NULL, NULL, 1795408043351, 1795408043333, NULL),
	('pubid-62275d17-d7f7-4fe2-b783-88ff769e8b48', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', '{"audience":{"users":["user 0","user 1"]},"payloads":{"fcm":{"data":{"publish":"users"}},"apns":{"aps":{"alert":"users"},"data":{"publish":"users"}}}}', 1795408043374, NULL, NULL, 1795408043661, NULL, NULL),
	('pubid-e63b879c-edc1-46c0-bf1f-d932c4574595', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', '{"audience":{"interests":["done"]},"payloads":{"fcm":{"data":{"publish":"done"}},"apns":{"aps":{"alert":"done"},"data":{"publish":"done"}}}}', 1795408043205, NULL, NULL, 1795408043660, NULL, NULL),
	('pubid-52e0e2fe-1126-4511-962d-3ae53d88ccec', '11111111-2222-4333-8444-555555555555', '{"audience":{"interests":["gone"]},"payloads":{"fcm":{"data":{"publish":"gone"}},"apns":{"aps":{"alert":"gone"},"data":{"publish":"gone"}}}}', 1795408043157, NULL, NULL, 1795408043834, NULL, NULL),
	('pubid-5c66d183-f48c-484f-8dfb-4518f9bcdef3', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', '{"audience":{"interests":["news"]},"payloads":{"fcm":{"data":{"publish":"news"}},"apns":{"aps":{"alert":"news"},"data":{"publish":"news"}}}}', 1795408043969, 1795408049557, 'ec970cdf-6d23-44fc-913d-e27562e36f5c/1', NULL, NULL, NULL),
	('pubid-4f21ce8d-37bd-4a32-a63b-db540413dd67', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', '{"audience":{"interests":["held"]},"payloads":{"fcm":{"data":{"publish":"held"}},"apns":{"aps":{"alert":"held"},"data":{"publish":"held"}}}}', 1795408047800, 1795408049811, 'ec970cdf-6d23-44fc-913d-e27562e36f5c/2', NULL, NULL, NULL);
INSERT INTO public.rookery_setting_changes VALUES
	('app', '7', 2),
	('instance', '11111111-2222-4333-8444-555555555555', 2);
INSERT INTO public.rookery_triggers VALUES
	('e9f87f5b-7667-44f7-89cc-ea86ef64c5cd', 2, '7', 'orders', 'order-shipped', 'order 1', NULL, 1795408048428, NULL, NULL),
	('4f2b2ad2-c3d6-4dce-b549-c5f1b68bdab1', 4, '7', 'orders', 'order-shipped', 'order 2', NULL, 1795408048453, NULL, NULL),
	('50e617f5-adfa-4d2b-ac3f-ab73c41a945b', 6, '7', 'orders', 'order-shipped', 'order 3', NULL, 1795408048461, NULL, NULL),
	('5638ef0d-f6f4-4b60-82f9-feedf6422e3a', 8, '7', 'orders', 'order-shipped', 'order 4', NULL, 1795408048474, NULL, NULL),
	('97a570b3-dda0-4d82-8c1b-2c46d7b736b6', 10, '7', 'orders', 'order-shipped', 'order 5', NULL, 1795408048486, NULL, NULL);
INSERT INTO public.rookery_webhooks VALUES
	('0508ed93-8615-81bf-988d-df2f30361c88', 'push', '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60 http://127.0.0.1:42741/push', 1795408053681, 1795408043650000, '{"id":"0508ed93-8615-81bf-988d-df2f30361c88","owner":"0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60","url":"http://127.0.0.1:42741/push","headers":{"User-Agent":"pusher-webhooks","Content-Type":"application/json","Webhook-Event-Type":"v1.PublishToUsersAttempt","Webhook-ID-UUID":"b6b856d9-d563-8d51-a600-9c602631583a","Webhook-Request-ID-UUID":"0508ed93-8615-81bf-988d-df2f30361c88","Webhook-Signature":"0b79f66d21a876336a67c0204f70e0ea0d7fbffb"},"body":"{\"payload\":{\"instance_id\":\"0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60\",\"publish_id\":\"pubid-62275d17-d7f7-4fe2-b783-88ff769e8b48\",\"users_delivered_to_gateway\":[\"user 0\",\"user 1\"],\"users_no_devices\":[],\"users_gateway_failed\":[]},\"metadata\":{\"created_at\":\"2026-11-23T04:27:23+0000\",\"event_type\":\"v1.PublishToUsersAttempt\",\"event_id\":\"6fc27f07-7077-8913-825d-0bb86bc78de9\",\"product\":\"beams\"},\"custom_data\":{}}","timeoutMs":3000,"retryDelaysMs":[30000,120000,300000],"expiresAt":1795494443650,"endpoint":"0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60 http://127.0.0.1:42741/push","untrusted":false,"dueAt":1795408053681}', NULL),
	('6cd166f2-a3cd-4902-bd3c-ec9f3f9591bb', 'channels', '3 http://127.0.0.1:42741/channels', 1795408051807, 1795408043029000, '{"url":"http://127.0.0.1:42741/channels","headers":{"Content-Type":"application/json","X-Pusher-Key":"278d425bdf160c739803","X-Pusher-Signature":"f8d0432dae85588d585464e2ac6a1cbed92c0cc04c6fe3ce1fc4ae834daabc95"},"body":"{\"time_ms\":1795408043027,\"events\":[{\"name\":\"channel_occupied\",\"channel\":\"waiting-2\"}]}","sequence":"waiting-2","owner":"3","timeoutMs":10000,"retryDelaysMs":[8000,16000,32000,64000,128000,256000,512000,1024000,2048000,3095000],"expiresAt":1795415243027,"id":"6cd166f2-a3cd-4902-bd3c-ec9f3f9591bb","endpoint":"3 http://127.0.0.1:42741/channels","untrusted":false,"dueAt":1795408051807}', NULL),
	('28755dc0-9e1a-495e-852a-3a5bf078b08d', 'channels', '3 http://127.0.0.1:42741/channels', 1795408051804, 1795408043021000, '{"url":"http://127.0.0.1:42741/channels","headers":{"Content-Type":"application/json","X-Pusher-Key":"278d425bdf160c739803","X-Pusher-Signature":"a66e701b28809c06637a1cb87cbe83dd99627c4935782cb31c5db7e2964db6e5"},"body":"{\"time_ms\":1795408043019,\"events\":[{\"name\":\"channel_occupied\",\"channel\":\"waiting-1\"}]}","sequence":"waiting-1","owner":"3","timeoutMs":10000,"retryDelaysMs":[8000,16000,32000,64000,128000,256000,512000,1024000,2048000,3095000],"expiresAt":1795415243020,"id":"28755dc0-9e1a-495e-852a-3a5bf078b08d","endpoint":"3 http://127.0.0.1:42741/channels","untrusted":false,"dueAt":1795408051804}', NULL);
SELECT pg_catalog.setval('public.rookery_trigger_positions', 10, true);
ALTER TABLE ONLY public.rookery_device_interests
    ADD CONSTRAINT "PK_0b7f975dc9a5ad0bda177e9436c" PRIMARY KEY (instance_id, interest, device_id);
ALTER TABLE ONLY public.rookery_publish_ranges
    ADD CONSTRAINT "PK_0f02e763893ea6b2f1ced7c4650" PRIMARY KEY (publish_id, lane);
ALTER TABLE ONLY public.rookery_webhooks
    ADD CONSTRAINT "PK_0f2d29130b26f36890a9c1ac962" PRIMARY KEY (id);
ALTER TABLE ONLY public.rookery_devices
    ADD CONSTRAINT "PK_17df93fe0e4397172e6a5ae99ae" PRIMARY KEY (id);
ALTER TABLE ONLY public.rookery_gone_devices
    ADD CONSTRAINT "PK_2e0a25f07b8fe36194f829f992f" PRIMARY KEY (instance_id, platform, device_id);
ALTER TABLE ONLY public.rookery_publish_later_outcomes
    ADD CONSTRAINT "PK_2f012519a09cde99f8a030c72c3" PRIMARY KEY (publish_id, device_id);
ALTER TABLE ONLY public.rookery_app_keys
    ADD CONSTRAINT "PK_33ccd9fef1b9d115a9bf98ed8f6" PRIMARY KEY (key);
ALTER TABLE ONLY public.rookery_publish_rates
    ADD CONSTRAINT "PK_3a7910b056fc735517270e245ab" PRIMARY KEY (instance_id);
ALTER TABLE ONLY public.rookery_instances
    ADD CONSTRAINT "PK_4058a3b003a5a99c3b1cbe1d6a0" PRIMARY KEY (id);
ALTER TABLE ONLY public.rookery_publish_outcomes
    ADD CONSTRAINT "PK_459ef364d0723939bda5d512d49" PRIMARY KEY (publish_id, last_id);
ALTER TABLE ONLY public.rookery_report_counts
    ADD CONSTRAINT "PK_4e09a16f4df06fb28acf6bac8df" PRIMARY KEY (publish_id, platform, event, part);
ALTER TABLE ONLY public.rookery_triggers
    ADD CONSTRAINT "PK_5de9834ee7209ada8b8b82a5877" PRIMARY KEY (id);
ALTER TABLE ONLY public.rookery_publish_lanes
    ADD CONSTRAINT "PK_7f9a9528787f29c0dc124be6359" PRIMARY KEY (publish_id, platform);
ALTER TABLE ONLY public.rookery_storage_checks
    ADD CONSTRAINT "PK_8b8142c811eb71933e6c5964813" PRIMARY KEY (id);
ALTER TABLE ONLY public.rookery_apps
    ADD CONSTRAINT "PK_8e153082d886580b622b1a6f05c" PRIMARY KEY (id);
ALTER TABLE ONLY public.rookery_dead_webhooks
    ADD CONSTRAINT "PK_9142efb796390147daa0dcff4e9" PRIMARY KEY (id);
ALTER TABLE ONLY public.rookery_publish_keys
    ADD CONSTRAINT "PK_a482b43ca91c4c883453500820c" PRIMARY KEY (instance_id, once_key);
ALTER TABLE ONLY public.rookery_publishes
    ADD CONSTRAINT "PK_bd5faa09c3314b04eb817ac148d" PRIMARY KEY (id);
ALTER TABLE ONLY public.rookery_publish_retries
    ADD CONSTRAINT "PK_befc60f9cc0bbc53062444d2de3" PRIMARY KEY (publish_id, platform, device_id);
ALTER TABLE ONLY public.rookery_notifications
    ADD CONSTRAINT "PK_cbf144e767dd2ffbfb82bd65c6a" PRIMARY KEY (id);
ALTER TABLE ONLY public.rookery_gateway_answers
    ADD CONSTRAINT "PK_d6aa4520db73780ba3638932798" PRIMARY KEY (instance_id, platform, answered_at);
ALTER TABLE ONLY public.rookery_setting_changes
    ADD CONSTRAINT "PK_e7588c63afd2e4f84d632878a95" PRIMARY KEY (kind, id);
ALTER TABLE ONLY public.rookery_publish_deletions
    ADD CONSTRAINT "PK_f1712863da668c8e030e2e35128" PRIMARY KEY (publish_id, platform);
ALTER TABLE ONLY public.rookery_trigger_relays
    ADD CONSTRAINT "PK_f4770121808da39aa4b1431d774" PRIMARY KEY (name);
ALTER TABLE ONLY public.rookery_reports
    ADD CONSTRAINT "PK_faf47905eda049278183e4b5c22" PRIMARY KEY (publish_id, platform, event, device_id);
ALTER TABLE ONLY public.rookery_migrations
    ADD CONSTRAINT rookery_migrations_pkey PRIMARY KEY (name);
CREATE INDEX rookery_app_keys_by_app ON public.rookery_app_keys USING btree (app_id);
CREATE UNIQUE INDEX rookery_apps_by_key ON public.rookery_apps USING btree (key);
CREATE INDEX rookery_dead_webhooks_by_age ON public.rookery_dead_webhooks USING btree (queue, place);
CREATE INDEX rookery_dead_webhooks_by_owner ON public.rookery_dead_webhooks USING btree (queue, owner, place);
CREATE INDEX rookery_device_interests_by_device ON public.rookery_device_interests USING btree (device_id, interest);
CREATE UNIQUE INDEX rookery_devices_by_token ON public.rookery_devices USING btree (instance_id, token_hash);
CREATE INDEX rookery_devices_by_user ON public.rookery_devices USING btree (instance_id, user_id, id);
CREATE INDEX rookery_notifications_by_age ON public.rookery_notifications USING btree (app_id, created_at);
CREATE INDEX rookery_notifications_by_due ON public.rookery_notifications USING btree (due_at);
CREATE INDEX rookery_notifications_of_user ON public.rookery_notifications USING btree (app_id, user_id, created_at, id);
CREATE INDEX rookery_notifications_pushed ON public.rookery_notifications USING btree (app_id, user_id, pushed_at) WHERE (pushed_at IS NOT NULL);
CREATE INDEX rookery_notifications_unread ON public.rookery_notifications USING btree (app_id, user_id) WHERE ((read_at IS NULL) AND (withdrawn_at IS NULL));
CREATE INDEX rookery_publish_deletions_held ON public.rookery_publish_deletions USING btree (instance_id, platform, held) WHERE (held > 0);
CREATE INDEX rookery_publish_keys_by_expiry ON public.rookery_publish_keys USING btree (expires_at);
CREATE INDEX rookery_publish_later_outcomes_by_age ON public.rookery_publish_later_outcomes USING btree (saved_at);
CREATE INDEX rookery_publish_outcomes_by_age ON public.rookery_publish_outcomes USING btree (saved_at);
CREATE INDEX rookery_publish_ranges_by_due ON public.rookery_publish_ranges USING btree (due_at);
CREATE INDEX rookery_publish_retries_by_due ON public.rookery_publish_retries USING btree (publish_id, platform, due_at);
CREATE INDEX rookery_publishes_by_due ON public.rookery_publishes USING btree (due_at);
CREATE INDEX rookery_publishes_by_finish ON public.rookery_publishes USING btree (finished_at);
CREATE INDEX rookery_publishes_latest ON public.rookery_publishes USING btree (instance_id, created_at, id);
CREATE INDEX rookery_setting_changes_by_version ON public.rookery_setting_changes USING btree (kind, version);
CREATE INDEX rookery_triggers_by_position ON public.rookery_triggers USING btree ("position");
CREATE INDEX rookery_webhooks_by_endpoint ON public.rookery_webhooks USING btree (queue, endpoint, free_at, "position");
CREATE CONSTRAINT TRIGGER place_at_commit AFTER INSERT ON public.rookery_triggers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.rookery_place_triggers();
ALTER TABLE ONLY public.rookery_device_interests
    ADD CONSTRAINT rookery_device_interests_of_device FOREIGN KEY (device_id) REFERENCES public.rookery_devices(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.rookery_publish_lanes
    ADD CONSTRAINT rookery_publish_lanes_of_publish FOREIGN KEY (publish_id) REFERENCES public.rookery_publishes(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.rookery_publish_later_outcomes
    ADD CONSTRAINT rookery_publish_later_outcomes_of_publish FOREIGN KEY (publish_id) REFERENCES public.rookery_publishes(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.rookery_publish_outcomes
    ADD CONSTRAINT rookery_publish_outcomes_of_publish FOREIGN KEY (publish_id) REFERENCES public.rookery_publishes(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.rookery_publish_ranges
    ADD CONSTRAINT rookery_publish_ranges_of_publish FOREIGN KEY (publish_id) REFERENCES public.rookery_publishes(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.rookery_publish_retries
    ADD CONSTRAINT rookery_publish_retries_of_publish FOREIGN KEY (publish_id) REFERENCES public.rookery_publishes(id) ON DELETE CASCADE;
