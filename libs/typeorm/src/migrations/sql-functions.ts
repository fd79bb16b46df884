import type { QueryRunner } from 'typeorm';
import { apnsPushTypes } from 'rookery/internal/publish';
import { onPostgres } from '../database/on-postgres.js';

/**
 * On PostgreSQL, creates the functions that let any language trigger and publish in its transactions. Can run
 * repeatedly.
 */
export const createFunctions = (runner: QueryRunner): Promise<void> =>
  onPostgres(runner, [trigger, triggerJson, checkAudience, checkPublish, keepPublish, toInterests, toUsers]);

/** As JSON. */
const pushTypes = apnsPushTypes.map((type) => `"${type}"`);

// The rules and messages of the HTTP APIs, with the default limits of apps. The names of notices are concatenated, so
// that they get no schema.

const trigger = `
CREATE OR REPLACE FUNCTION rookery_trigger(app text, channel text, event text, data text, socket_id text DEFAULT NULL)
RETURNS text LANGUAGE plpgsql AS $$
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
  INSERT INTO rookery_triggers (id, position, app_id, channel, name, data, socket_id, created_at)
  VALUES (id, -nextval('rookery_trigger_positions'), app, channel, event, data, socket_id,
    floor(extract(epoch FROM clock_timestamp()) * 1000));
  PERFORM pg_notify('rookery' || '_triggers_due', '');
  RETURN id;
END $$`;

/** Sends JSON text unchanged, and any other value as JSON. */
const triggerJson = `
CREATE OR REPLACE FUNCTION rookery_trigger(app text, channel text, event text, data jsonb, socket_id text DEFAULT NULL)
RETURNS text LANGUAGE sql AS $$
  SELECT rookery_trigger(app, channel, event,
    CASE jsonb_typeof(data) WHEN 'string' THEN data #>> '{}' WHEN 'null' THEN NULL ELSE data::text END, socket_id)
$$`;

const checkAudience = `
CREATE OR REPLACE FUNCTION rookery_check_audience(field text, names text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  most int := CASE field WHEN 'users' THEN 1000 ELSE 100 END;
  wrong text := CASE
    WHEN names IS NULL THEN format('\`%s\`: %s is required', field, field)
    WHEN cardinality(names) = 0 THEN format('\`%s\`: Array must have at least 1 items', field)
    WHEN cardinality(names) > most THEN format('\`%s\`: Array must have at most %s items', field, most)
  END;
BEGIN
  wrong := coalesce(wrong, (
    SELECT format('\`%s.%s\`: ', field, n - 1) || CASE
      WHEN name IS NULL THEN 'Invalid type. Expected: string, given: null'
      WHEN name = '' AND field = 'users' THEN 'String length must be greater than or equal to 1'
      WHEN octet_length(name) > 164 THEN 'String length must be less than or equal to 164'
      ELSE 'Does not match pattern ''^[a-zA-Z0-9_\\-=@,.;]+$'''
    END
    FROM unnest(names) WITH ORDINALITY AS given(name, n)
    WHERE name IS NULL OR name = '' OR octet_length(name) > 164 OR (field = 'interests' AND name !~ '^[a-zA-Z0-9_=@,.;-]+$')
    ORDER BY n LIMIT 1
  ));
  IF wrong IS NULL AND (SELECT count(DISTINCT name) < count(*) FROM unnest(names) AS given(name)) THEN
    wrong := format('\`%s\`: array items must be unique', field);
  END IF;
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION USING MESSAGE = wrong, ERRCODE = 'invalid_parameter_value';
  END IF;
END $$`;

const checkPublish = `
CREATE OR REPLACE FUNCTION rookery_check_publish(body jsonb, field text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  wrong text := CASE
    WHEN body IS NULL OR jsonb_typeof(body) <> 'object'
      THEN format('\`(root)\`: Invalid type. Expected: object, given: %s', coalesce(jsonb_typeof(body), 'null'))
    WHEN NOT body ?| ARRAY['apns', 'fcm', 'web'] THEN '\`(root)\`: Must validate at least one schema (anyOf)'
    WHEN octet_length(body::text) > CASE field WHEN 'users' THEN 204800 ELSE 10240 END 
      THEN format('Request body size is too large (max %sKiB).', CASE field WHEN 'users' THEN 200 ELSE 10 END)
  END;
BEGIN
  -- What is known of a body, and of which type it is; the gateways have more fields, which pass through.
  wrong := coalesce(wrong, (
    SELECT format('\`%s\`: ', array_to_string(path, '.')) || CASE
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
    WHEN body ->> 'webhookUrl' !~* '^https?://[^[:space:]/?#]+' THEN '\`webhookUrl\`: Does not match format ''uri'''
    WHEN octet_length(body #>> '{apns,collapse_id}') > 64 THEN '\`apns.collapse_id\`: String length must be less than or equal to 64'
    WHEN body #> '{apns,priority}' NOT IN ('1', '5', '10')
      THEN '\`apns.priority\`: apns.priority must be one of the following: 1, 5, 10'
    WHEN body #> '{apns,push_type}' NOT IN (${pushTypes.map((type) => `'${type}'`).join(', ')})
      THEN '\`apns.push_type\`: apns.push_type must be one of the following: ${pushTypes.join(', ')}'
    WHEN body #> '{web,data,pusher}' IS NOT NULL THEN '\`web.data.pusher\`: Additional property pusher is not allowed'
  END);
  wrong := coalesce(wrong, (
    SELECT format('\`%s\`: Must not be nested deeper than 100 levels', platform)
    FROM unnest(ARRAY['apns', 'fcm', 'web']) AS platform
    WHERE jsonb_path_exists(body -> platform, 'strict $.**{100 to last} ? (@.type() == "object" || @.type() == "array")')
    LIMIT 1
  ));
  wrong := coalesce(wrong, (
    SELECT format('\`%s\`: Additional property %s is not allowed', key, key) FROM jsonb_object_keys(body) AS key
    WHERE key NOT IN ('webhookUrl', 'apns', 'fcm', 'web') ORDER BY key LIMIT 1
  ));
  IF wrong IS NOT NULL THEN
    RAISE EXCEPTION USING MESSAGE = wrong, ERRCODE = 'invalid_parameter_value';
  END IF;
END $$`;

const keepPublish = `
CREATE OR REPLACE FUNCTION rookery_keep_publish(instance text, field text, names text[], body jsonb, publish_at timestamptz)
RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  id text := 'pubid-' || gen_random_uuid();
  now bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
  at bigint := floor(extract(epoch FROM publish_at) * 1000);
BEGIN
  IF instance IS NULL OR instance !~* '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = 'The instance id given is invalid. '
      || 'It is expected to be in this format: xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx';
  END IF;
  PERFORM rookery_check_audience(field, names);
  PERFORM rookery_check_publish(body, field);
  IF at > now + 2419200000 THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = '\`Publish-At\` must be at most 28 days ahead.';
  END IF;
  IF at <= now THEN
    at := NULL;
  END IF;
  INSERT INTO rookery_publishes (id, instance_id, body, created_at) VALUES (id, instance, (
    jsonb_build_object('audience', jsonb_build_object(field, names), 'payloads', body - 'webhookUrl')
      || CASE WHEN body ? 'webhookUrl' THEN jsonb_build_object('webhookUrl', body -> 'webhookUrl') ELSE '{}' END
      || CASE WHEN at IS NOT NULL THEN jsonb_build_object('publishAt', at) ELSE '{}' END
  )::text, now);
  INSERT INTO rookery_jobs (queue, id, owner, key, due_at, free_at, position, data, state)
  VALUES ('publishes', id, instance, id, coalesce(at, now), coalesce(at, now), now * 1000, '""', '""');
  IF at IS NULL THEN
    PERFORM pg_notify('rookery' || '_publishes_due', '');
  END IF;
  RETURN id;
END $$`;

const toInterests = `
CREATE OR REPLACE FUNCTION rookery_publish(instance text, interests text[], body jsonb, publish_at timestamptz DEFAULT NULL)
RETURNS text LANGUAGE sql AS $$
  SELECT rookery_keep_publish(instance, 'interests', interests, body, publish_at)
$$`;

const toUsers = `
CREATE OR REPLACE FUNCTION rookery_publish_to_users(instance text, users text[], body jsonb, publish_at timestamptz DEFAULT NULL)
RETURNS text LANGUAGE sql AS $$
  SELECT rookery_keep_publish(instance, 'users', users, body, publish_at)
$$`;
