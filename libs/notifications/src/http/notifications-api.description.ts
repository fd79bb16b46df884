import { describedChannels } from 'rookery/internal/channels';
import { bodySchemaOf } from '#common';
import { describing, type DescribedApi, type DescribedOperation } from '#http';
import { NotificationRequest } from '../notification-body.js';
import type { NotificationState } from '../store/notification.js';
import { badRequest, invalidLink, missing, notificationNotFound, notNotifying } from '../notifications.errors.js';

const { answer, body, count, inPath, listOf, may, nothing, oneOf, pageParameters, refused, shape, text, time } =
  describing;
const { fault, idempotencyKey, signature, signedOperation, textRefusal, unavailable } = describedChannels;

const states: Record<NotificationState, true> = {
  sent: true,
  skipped: true,
  pushed: true,
  shown: true,
  withdrawn: true,
  read: true,
};

const notification = shape(
  {
    id: text,
    userId: text,
    state: oneOf(...Object.keys(states)),
    event: shape({ name: text, data: { type: 'object' } }),
    createdAt: time,
    readUrl: text,
  },
  {
    collapseKey: text,
    shownAt: time,
    pushedAt: time,
    publishId: text,
    skippedAt: time,
    readAt: time,
    withdrawnAt: time,
  },
);

const ofUser = inPath('userId', 'The id of the user', text, 'alice');
const notificationId = inPath('notificationId', 'The id answered to the request');
const became = { 200: answer('Its state', notification) };

/** A read link, called by pages: its token is the permission, so the request is not signed. */
const link = (action: string, done: string): DescribedOperation => ({
  summary: `${action}, from a page of the user`,
  security: [],
  parameters: [inPath('appId', 'The id of the app', text, 'app-id'), may('token', 'The token in readUrl')],
  responses: {
    200: answer(done, nothing, {}),
    ...refused([textRefusal(invalidLink()), textRefusal(notificationNotFound()), fault, unavailable]),
  },
});

/** api § Notifications */
export const notificationsDescription = (): DescribedApi => ({
  tag: 'Notifications',
  securitySchemes: signature,
  paths: {
    '/apps/{appId}/notifications': {
      post: signedOperation(
        {
          summary: 'Notify a user, or each of several, once: in an open page, otherwise by push',
          parameters: [idempotencyKey],
          requestBody: body(bodySchemaOf(NotificationRequest), {
            userId: 'alice',
            event: { name: 'mention', data: { from: 'bob' } },
          }),
          responses: {
            200: answer('Stored durably: the id, or those of users in their order', {
              anyOf: [shape({ id: text }), shape({ ids: listOf(text) })],
            }),
          },
        },
        [
          missing('userId'),
          badRequest('userId must be left out beside users'),
          badRequest('pushAfterSeconds must be a number from 0 to 86400'),
          notNotifying(),
          ...describedChannels.refusedEvents(),
        ],
      ),
    },
    '/apps/{appId}/notifications/read_all': {
      post: signedOperation(
        {
          summary: 'Mark all notifications of a user as read',
          requestBody: body(shape({ userId: text }), { userId: 'alice' }),
          responses: { 200: answer('How many were unread', shape({ read: count })) },
        },
        [missing('userId'), badRequest('userId must be a string'), notNotifying()],
      ),
    },
    '/apps/{appId}/notifications/{notificationId}': {
      get: signedOperation(
        { summary: 'The state of a notification', parameters: [notificationId], responses: became },
        [notificationNotFound()],
      ),
      delete: signedOperation(
        {
          summary: 'Delete a notification',
          parameters: [notificationId],
          responses: { 200: answer('Deleted', nothing, {}) },
        },
        [notificationNotFound()],
      ),
    },
    '/apps/{appId}/notifications/{notificationId}/read': {
      post: signedOperation(
        { summary: 'Mark a notification as read', parameters: [notificationId], responses: became },
        [notificationNotFound()],
      ),
    },
    '/apps/{appId}/users/{userId}/notifications': {
      get: signedOperation(
        {
          summary: 'The notifications of a user, newest first',
          parameters: [ofUser, may('unread', 'true: only those that the user has not read'), ...pageParameters],
          responses: {
            200: answer(
              'A page of them, and how many are not read',
              shape({
                notifications: listOf(notification),
                unread: count,
                responseMetadata: shape({}, { nextCursor: text }),
              }),
            ),
          },
        },
        [
          badRequest('unread must be true or false'),
          badRequest('limit must be a whole number from 1 to 100'),
          notNotifying(),
        ],
      ),
      delete: signedOperation(
        {
          summary: 'Delete all notifications of a user',
          parameters: [ofUser],
          responses: { 200: answer('How many there were', shape({ deleted: count })) },
        },
        [notNotifying()],
      ),
    },
    '/apps/{appId}/notifications/read': {
      post: link('Mark a notification as read', 'Marked as read'),
      delete: link('Delete a notification', 'Deleted'),
    },
  },
});
