import { IsObject } from 'class-validator';
import {
  ApiError,
  checkedBody,
  IsAmount,
  isObject,
  IsRequired,
  IsText,
  MaxBytes,
  Nested,
  Optional,
  OrNull,
  settingsOf,
} from 'rookery/common';
import { type Payloads, UsersPublish } from 'rookery/publish';
import { badRequest, missing } from './notifications.errors.js';
import { QuietHours } from './quiet-hours.js';

/** What open pages get on the user's channel. */
export class NotificationEventBody {
  /** As of any event: at most 200 characters, none of Pusher's own. */
  @IsText()
  readonly name!: string;
  /** An object, or one as JSON text; at most 10 KB. Pages find `rookery: { id, readUrl }` beside what is in it. */
  @IsRequired()
  readonly data!: unknown;
}

/** What a user is to be told once, wherever they are. */
export class NotificationBody {
  @Nested(() => NotificationEventBody)
  readonly event!: NotificationEventBody;
  /** What the user's devices get if no page has shown it in time: the `apns`, `fcm` and `web` of a publish. @default nothing */
  @Optional()
  @IsObject()
  readonly push?: Omit<UsersPublish, 'users'>;
  /** How long pages have to show it, in seconds; 0: devices get it at once. @default that of the app */
  @Optional()
  @IsAmount(0, 86_400)
  readonly pushAfterSeconds?: number;
  /** A newer one with the same key takes the place of an unread one, in the feed and on devices. At most 256 bytes. */
  @Optional()
  @IsText()
  @MaxBytes(256)
  readonly collapseKey?: string;
  /** When the user's devices are not woken; `null`: they are at any time. @default those of the app */
  @OrNull()
  @Nested(() => QuietHours)
  readonly quietHours?: (Partial<QuietHours> & Pick<QuietHours, 'from' | 'to'>) | null;
}

/** The body of `POST /apps/<app_id>/notifications`. */
export class NotificationRequest extends NotificationBody {
  @IsText()
  readonly userId!: string;
}

/**
 * Checks a notification by the rules of its class. Answers it as it came.
 * @throws ChannelsApiError 400 naming the field
 */
export function checkedNotification(body: Readonly<Record<string, unknown>>): NotificationRequest {
  for (const name of ['userId', 'event']) if (body[name] === undefined || body[name] === null) throw missing(name);
  try {
    settingsOf(NotificationRequest, body);
  } catch (error) {
    throw badRequest((error as Error).message.replace('is no setting', 'is no parameter'));
  }
  return body as unknown as NotificationRequest; // It keeps all rules of the class.
}

/**
 * Checks what is to be pushed by the rules of a publish to the user.
 * @throws ChannelsApiError 400
 */
export function checkedPush(userId: string, push: NonNullable<NotificationBody['push']>): Payloads {
  const { users, ...payloads } = push as Partial<UsersPublish>;
  if (users !== undefined && !(Array.isArray(users) && users.length === 1 && users[0] === userId))
    throw badRequest('push.users must be left out: devices of userId get the push');
  try {
    checkedBody(UsersPublish, { ...payloads, users: [userId] });
  } catch (error) {
    if (error instanceof ApiError) throw badRequest(`push: ${error.message}`);
    throw error;
  }
  if (payloads.webhookUrl !== undefined) throw badRequest('push.webhookUrl must be left out');
  return payloads;
}

/**
 * The JSON text of an event's data, which must be an object.
 * @throws ChannelsApiError 400
 */
export function checkedData(text: string): string {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    data = undefined;
  }
  if (!isObject(data) || Array.isArray(data)) throw badRequest('event.data must be an object, or the JSON text of one');
  return text;
}
