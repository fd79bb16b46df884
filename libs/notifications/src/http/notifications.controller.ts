import { Delete, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import {
  type App,
  CurrentApp,
  describedChannels,
  IdempotencyKey,
  Parameters,
  RepeatedTriggers,
  SignedRequestGuard,
} from 'rookery/internal/channels';
import { bodySchemaOf } from '#common';
import { cursorAfter, cursorIn, describing, limitIn, PathTail, RookeryController } from '#http';
import { type CheckedNotification, checkedNotification, NotificationRequest } from '../notification-body.js';
import type { NotificationStatus } from '../notification-status.js';
import { badRequest, missing, notFound, notificationNotFound, notNotifying } from '../notifications.errors.js';
import { NotificationsService } from '../notifications.service.js';
import type { FeedCursor } from '../store/notification.repository.js';
import { notification } from './described-notification.js';

const { answer, body, count, inPath, listOf, may, nothing, pageParameters, shape, text } = describing;
const { idempotencyKey, refusedEvents, Signed } = describedChannels;

const one = () => ({
  parameters: [inPath('notificationId', 'The id answered to the request')],
  answers: answer('Its state', notification),
  refuses: [notificationNotFound()],
});
const ofUser = {
  path: '/apps/{appId}/users/{userId}/notifications',
  parameters: [inPath('userId', 'The id of the user', text, 'alice')],
};

/** The cursor for a place. */
const nameOfPlace = ({ createdAt, id }: FeedCursor): string => `${createdAt} ${id}`;

const isPlace = (name: string): boolean => /^\d{1,15} [\da-f-]{36}$/.test(name);

/** @throws ChannelsApiError 400 for an invalid cursor */
function placeIn(cursor: unknown): FeedCursor | undefined {
  const name = cursorIn(cursor, isPlace, badRequest);
  if (name === undefined) return undefined;
  const [createdAt, id] = name.split(' ') as [string, string];
  return { createdAt: Number(createdAt), id };
}

/** @throws ChannelsApiError 400 */
function unreadIn(value: unknown): boolean {
  if (value === undefined || value === 'false') return false;
  if (value !== 'true') throw badRequest('unread must be true or false');
  return true;
}

type Notified = { readonly id: string } | { readonly ids: readonly string[] };
type Given = Readonly<Record<string, unknown>>;

/** A page of a user's notifications. */
interface FeedPage {
  readonly notifications: readonly NotificationStatus[];
  readonly unread: number;
  readonly responseMetadata: { readonly nextCursor?: string };
}

const suffix = '/notifications';

function userIn(tail: string): string {
  if (!tail.endsWith(suffix)) throw notFound();
  return tail.slice(0, -suffix.length);
}

/** api § Notifications */
@RookeryController('apps/:appId')
@UseGuards(SignedRequestGuard)
export class NotificationsController {
  constructor(
    private readonly notifications: NotificationsService,
    private readonly repeated: RepeatedTriggers,
  ) {}

  @Post('notifications')
  @HttpCode(200)
  @Signed('Notify a user, or each of several, once: in an open page, otherwise by push', () => ({
    parameters: [idempotencyKey],
    requestBody: body(bodySchemaOf(NotificationRequest), {
      userId: 'alice',
      event: { name: 'mention', data: { from: 'bob' } },
    }),
    answers: answer('Stored durably: the id, or those of users in their order', {
      anyOf: [shape({ id: text }), shape({ ids: listOf(text) })],
    }),
    refuses: [
      missing('userId'),
      badRequest('userId must be left out beside users'),
      badRequest('pushAfterSeconds must be a number from 0 to 86400'),
      notNotifying(),
      ...refusedEvents(),
    ],
  }))
  notify(@CurrentApp() app: App, @Parameters() given: Given, @IdempotencyKey() key?: string) {
    const notify = (): Promise<Notified> => this.notifyOnce(checkedNotification(given), app);
    return key === undefined ? notify() : this.repeated.once(app, key, { notification: given }, notify);
  }

  private async notifyOnce(checked: CheckedNotification, app: App): Promise<Notified> {
    if ('users' in checked) {
      const { users, ...notification } = checked;
      return { ids: await this.notifications.notifyUsers(users, notification, app) };
    }
    const { userId, ...notification } = checked;
    return { id: await this.notifications.notify(userId, notification, app) };
  }

  @Post('notifications/read_all')
  @HttpCode(200)
  @Signed('Mark all notifications of a user as read', () => ({
    requestBody: body(shape({ userId: text }), { userId: 'alice' }),
    answers: answer('How many were unread', shape({ read: count })),
    refuses: [missing('userId'), badRequest('userId must be a string'), notNotifying()],
  }))
  async readAll(@CurrentApp() app: App, @Parameters() { userId }: Given): Promise<{ readonly read: number }> {
    if (userId === undefined) throw missing('userId');
    if (typeof userId !== 'string') throw badRequest('userId must be a string');
    return { read: await this.notifications.readAll(userId, app) };
  }

  @Get('notifications/:notificationId')
  @Signed('The state of a notification', one)
  status(@CurrentApp() app: App, @Param('notificationId') id: string): Promise<NotificationStatus> {
    return this.notifications.status(id, app);
  }

  @Post('notifications/:notificationId/read')
  @HttpCode(200)
  @Signed('Mark a notification as read', one)
  read(@CurrentApp() app: App, @Param('notificationId') id: string): Promise<NotificationStatus> {
    return this.notifications.read(id, app);
  }

  @Delete('notifications/:notificationId')
  @Signed('Delete a notification', () => ({ ...one(), answers: answer('Deleted', nothing, {}) }))
  async delete(@CurrentApp() app: App, @Param('notificationId') id: string): Promise<Record<string, never>> {
    await this.notifications.delete(id, app);
    return {};
  }

  /** A tail, since a user id may be long. */
  @Get('users/*tail')
  @Signed('The notifications of a user, newest first', () => ({
    ...ofUser,
    parameters: [...ofUser.parameters, may('unread', 'true: only those that the user has not read'), ...pageParameters],
    answers: answer(
      'A page of them, and how many are not read',
      shape({
        notifications: listOf(notification),
        unread: count,
        responseMetadata: shape({}, { nextCursor: text }),
      }),
    ),
    refuses: [
      badRequest('unread must be true or false'),
      badRequest('limit must be a whole number from 1 to 100'),
      notNotifying(),
    ],
  }))
  async feed(@CurrentApp() app: App, @PathTail() tail: string, @Parameters() query: Given): Promise<FeedPage> {
    const userId = userIn(tail);
    const before = placeIn(query['cursor']);
    const limit = limitIn(query['limit'], badRequest);
    const unread = unreadIn(query['unread']);
    const { next, ...page } = await this.notifications.feed(userId, { limit, unread, ...(before && { before }) }, app);
    return { ...page, responseMetadata: next ? { nextCursor: cursorAfter(nameOfPlace(next)) } : {} };
  }

  @Delete('users/*tail')
  @Signed('Delete all notifications of a user', () => ({
    ...ofUser,
    answers: answer('How many there were', shape({ deleted: count })),
    refuses: [notNotifying()],
  }))
  async deleteAll(@CurrentApp() app: App, @PathTail() tail: string): Promise<{ readonly deleted: number }> {
    return { deleted: await this.notifications.deleteAll(userIn(tail), app) };
  }
}
