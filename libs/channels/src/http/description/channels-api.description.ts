import { bodySchemaOf } from '#common';
import { describing, type DescribedApi } from '#http';
import {
  dataTooLarge,
  invalidChannel,
  invalidInfo,
  invalidUserId,
  memberNotFound,
  missing,
  noHistory,
  notFound,
  removalNeedsAuthorization,
  tooManyTriggers,
  userCountNeedsPrefix,
  userInfoNeedsPresence,
  userInfoTooLarge,
  userCountNeedsPresence,
  usersNeedPresence,
  webhookNotFound,
} from '../../channels.errors.js';
import { TriggerBatch, TriggerEvent } from '../../events/trigger-event.js';
import { describedWings } from '../../wings/wings.js';
import { idempotencyKey, refusedEvents, signature, signedOperation } from '../../access/signed-operation.js';

const {
  answer,
  body,
  count,
  deadLetters,
  flag,
  inPath,
  listOf,
  mapOf,
  may,
  nothing,
  pageParameters,
  resent,
  shape,
  text,
} = describing;

const counts = shape({}, { user_count: count, subscription_count: count });
const cache = { anyOf: [shape({ data: text, ttl: count }), { type: 'null' }] };

const channelName = inPath('channelName', 'The name of the channel', text, 'my-channel');
const userId = inPath('userId', 'The id of a user who is signed in', text, 'alice');
const member = inPath('userId', 'The id of a user on the channel', text, 'alice');
const info = may('info', 'Further attributes to answer, separated by commas: user_count, subscription_count, cache');

const event = { name: 'my-event', channels: ['my-channel'], data: '{"hello":"world"}' };
const refusedTriggers = () => [missing('channels'), invalidChannel('my channel'), ...refusedEvents()];

const onlineInfo = may('info', 'online: answer whether the user was signed in');
const ordered = {
  200: answer('Done; with `info=online`, whether the user was signed in', shape({}, { online: flag }), {}),
};
const triggered = (name: string, schema: object) => ({
  200: answer('Accepted; with `info`, the requested attributes', shape({}, { [name]: schema as typeof counts }), {}),
});

/** The Channels HTTP API: api § Channel server API, and what is beyond it. */
export const channelsDescription = (): DescribedApi => {
  const ofWings = describedWings();
  const attributes = shape({}, { user_count: count, subscription_count: count, ...ofWings.attributes });
  return {
    tag: 'Channels',
    securitySchemes: signature,
    paths: {
      '/apps/{appId}/events': {
        post: signedOperation(
          {
            summary: 'Trigger an event on one or more channels',
            parameters: [idempotencyKey],
            requestBody: body(bodySchemaOf(TriggerEvent), event),
            responses: triggered('channels', mapOf(attributes)),
          },
          refusedTriggers(),
        ),
      },
      '/apps/{appId}/batch_events': {
        post: signedOperation(
          {
            summary: 'Trigger several events, each on one channel',
            parameters: [idempotencyKey],
            requestBody: body(bodySchemaOf(TriggerBatch), {
              batch: [{ name: 'my-event', channel: 'my-channel', data: '{}' }],
            }),
            responses: triggered('batch', listOf(attributes)),
          },
          refusedTriggers(),
        ),
      },
      '/apps/{appId}/connections': {
        get: signedOperation({
          summary: 'The number of open connections, over all processes',
          responses: { 200: answer('Those of this app', shape({ connections: count }), { connections: 42 }) },
        }),
      },
      '/apps/{appId}/channels': {
        get: signedOperation(
          {
            summary: 'The occupied channels',
            parameters: [
              may('filter_by_prefix', 'Only channels whose names begin with this text', text),
              may(
                'info',
                'Further attributes to answer: only user_count, for names that begin with presence-; with the ' +
                  "app's `countsInChannelList`, user_count and subscription_count of all",
              ),
            ],
            responses: {
              200: answer('The channels, by name', shape({ channels: mapOf(counts) }), {
                channels: { 'presence-room': { user_count: 42 } },
              }),
            },
          },
          [userCountNeedsPrefix(), invalidInfo(['user_count'])],
        ),
      },
      '/apps/{appId}/channels/{channelName}': {
        get: signedOperation(
          {
            summary: 'One channel',
            parameters: [channelName, info],
            responses: {
              200: answer(
                'Whether it is occupied, and the requested attributes',
                shape({ occupied: flag }, { user_count: count, subscription_count: count, cache }),
                { occupied: true, subscription_count: 42 },
              ),
            },
          },
          [userCountNeedsPresence(), invalidChannel('my channel')],
        ),
      },
      '/apps/{appId}/channels/{channelName}/users': {
        get: signedOperation(
          {
            summary: 'The users of a presence channel',
            parameters: [channelName, may('info', 'user_info: answer what the application has signed of each user')],
            responses: {
              200: answer('Each user once', shape({ users: listOf(shape({ id: text }, { user_info: {} })) }), {
                users: [{ id: 'alice' }],
              }),
            },
          },
          [usersNeedPresence(), invalidInfo(['user_info'])],
        ),
      },
      '/apps/{appId}/channels/{channelName}/users/{userId}': {
        put: signedOperation(
          {
            summary: 'Update the info of a member of a presence channel',
            parameters: [channelName, member],
            requestBody: body(shape({ user_info: {} }), { user_info: { name: 'Alice', isAway: true } }),
            responses: { 200: answer('Subscribers are notified', nothing, {}) },
          },
          [
            userInfoNeedsPresence(),
            missing('user_info'),
            memberNotFound('alice', 'presence-room'),
            userInfoTooLarge(1024),
            tooManyTriggers(100),
          ],
        ),
        delete: signedOperation(
          {
            summary: 'Remove a user from a private or presence channel',
            parameters: [channelName, member],
            responses: { 200: answer('Their subscriptions end, on every process', nothing, {}) },
          },
          [removalNeedsAuthorization(), invalidChannel('my channel'), invalidUserId('')],
        ),
      },
      '/apps/{appId}/channels/{channelName}/events': {
        get: signedOperation(
          {
            summary: 'The history of a channel, oldest event first',
            parameters: [
              channelName,
              may('after', 'A position: only events after it'),
              may('limit', 'The maximum number', { type: 'integer', minimum: 1, maximum: 1000, default: 100 }),
            ],
            responses: {
              200: answer(
                'Its events, whether any are missing, and the position to continue from',
                shape({
                  events: listOf(shape({ position: text, name: text, data: text }, { user_id: text })),
                  complete: flag,
                  position: text,
                }),
              ),
            },
          },
          [noHistory('my-channel')],
        ),
        post: signedOperation(
          {
            summary: 'Trigger an event whose data is the body',
            description: 'The first version of the API: use POST /apps/{appId}/events.',
            deprecated: true,
            parameters: [channelName, may('name', "The event's name"), may('socket_id', 'The connection to exclude')],
            requestBody: { content: { 'text/plain': { schema: text }, 'application/json': { schema: {} } } },
            responses: { 202: answer('Accepted', nothing, {}) },
          },
          [missing('name'), dataTooLarge(10_240), tooManyTriggers(100), notFound()],
        ),
      },
      '/apps/{appId}/users/{userId}/terminate_connections': {
        post: signedOperation({
          summary: 'Close all connections of a user',
          parameters: [userId, onlineInfo],
          responses: ordered,
        }),
      },
      '/apps/{appId}/users/{userId}/reconnect': {
        post: signedOperation({
          summary: 'Make the clients of a user reconnect with new tokens',
          parameters: [userId, onlineInfo],
          responses: ordered,
        }),
      },
      '/apps/{appId}/webhooks/dead': {
        get: signedOperation({
          summary: 'The webhooks that were given up, oldest first',
          parameters: pageParameters,
          responses: { 200: answer('One page', deadLetters) },
        }),
      },
      '/apps/{appId}/webhooks/dead/resend': {
        post: signedOperation({
          summary: 'Send all dead webhooks again',
          responses: { 200: answer('The number of webhooks', resent, { resent: 3 }) },
        }),
      },
      '/apps/{appId}/webhooks/dead/{webhookId}/resend': {
        post: signedOperation(
          {
            summary: 'Send a dead webhook again',
            parameters: [inPath('webhookId', 'Its id')],
            responses: { 200: answer('It will be sent again', resent, { resent: 1 }) },
          },
          [webhookNotFound()],
        ),
      },
      ...ofWings.paths,
    },
  };
};
