import { Delete, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import {
  type App,
  CurrentApp,
  IdempotencyKey,
  Parameters,
  RepeatedTriggers,
  SignedRequestGuard,
} from 'rookery/internal/channels';
import { cursorAfter, cursorIn, limitIn, PathTail, RookeryController } from '#http';
import { type CheckedNotification, checkedNotification } from '../notification-body.js';
import type { NotificationStatus } from '../notification-status.js';
import { badRequest, missing, notFound } from '../notifications.errors.js';
import { NotificationsService } from '../notifications.service.js';
import type { FeedCursor } from '../store/notification.repository.js';

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
  async readAll(@CurrentApp() app: App, @Parameters() { userId }: Given): Promise<{ readonly read: number }> {
    if (userId === undefined) throw missing('userId');
    if (typeof userId !== 'string') throw badRequest('userId must be a string');
    return { read: await this.notifications.readAll(userId, app) };
  }

  @Get('notifications/:notificationId')
  status(@CurrentApp() app: App, @Param('notificationId') id: string): Promise<NotificationStatus> {
    return this.notifications.status(id, app);
  }

  @Post('notifications/:notificationId/read')
  @HttpCode(200)
  read(@CurrentApp() app: App, @Param('notificationId') id: string): Promise<NotificationStatus> {
    return this.notifications.read(id, app);
  }

  @Delete('notifications/:notificationId')
  async delete(@CurrentApp() app: App, @Param('notificationId') id: string): Promise<Record<string, never>> {
    await this.notifications.delete(id, app);
    return {};
  }

  /** A tail, since a user id may be long. */
  @Get('users/*tail')
  async feed(@CurrentApp() app: App, @PathTail() tail: string, @Parameters() query: Given): Promise<FeedPage> {
    const userId = userIn(tail);
    const before = placeIn(query['cursor']);
    const limit = limitIn(query['limit'], badRequest);
    const unread = unreadIn(query['unread']);
    const { next, ...page } = await this.notifications.feed(userId, { limit, unread, ...(before && { before }) }, app);
    return { ...page, responseMetadata: next ? { nextCursor: cursorAfter(nameOfPlace(next)) } : {} };
  }

  @Delete('users/*tail')
  async deleteAll(@CurrentApp() app: App, @PathTail() tail: string): Promise<{ readonly deleted: number }> {
    return { deleted: await this.notifications.deleteAll(userIn(tail), app) };
  }
}
