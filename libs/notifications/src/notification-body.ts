import { ArrayMaxSize, ArrayMinSize, IsArray, IsObject, type ValidationOptions } from 'class-validator';
import {
  IsAmount,
  isObject,
  IsRequired,
  isStorable,
  IsText,
  IsUnique,
  MaxBytes,
  Nested,
  Optional,
  OrNull,
  rule,
  settingsOf,
} from '#common';
import { ApiError, checkedBody, jsonIn } from '#http';
import { type Payloads, UsersPublish } from 'rookery/publish';
import { maxUserIdLength } from 'rookery/internal/push-device';
import { badRequest, missing } from './notifications.errors.js';
import { QuietHours } from './quiet-hours.js';

/** A text that every store can keep: without NUL and lone surrogates. */
const IsStorable = (options?: ValidationOptions): PropertyDecorator =>
  rule(
    'isStorable',
    'must not contain NUL or half a surrogate pair',
    (value) => typeof value !== 'string' || isStorable(value),
    options,
  );

/** The event that open pages get on the user's channel. */
export class NotificationEventBody {
  /** The rules of any event name: at most 200 characters, and no `pusher:` prefix. */
  @IsText()
  @IsStorable()
  readonly name!: string;
  /** An object, or its JSON text; at most 10 KB. Pages get it with `rookery: { id, readUrl }` added. */
  @IsRequired()
  readonly data!: unknown;
}

/** A notification that the user gets once, on an open page or by push. */
export class NotificationBody {
  @Nested(() => NotificationEventBody)
  readonly event!: NotificationEventBody;
  /**
   * The push for the user's devices if no page has shown it in time: `apns`, `fcm` and `web` of a publish. @default
   * nothing
   */
  @Optional()
  @IsObject()
  readonly push?: Omit<UsersPublish, 'users'>;
  /** How long a page has to show it, in seconds; 0: devices get it at once. @default the app's setting */
  @Optional()
  @IsAmount(0, 86_400)
  readonly pushAfterSeconds?: number;
  /** A newer notification with the same key replaces an unread one, in the feed and on devices. At most 256 bytes. */
  @Optional()
  @IsText()
  @MaxBytes(256)
  @IsStorable()
  readonly collapseKey?: string;
  /** When the user's devices stay silent; `null`: never. @default the app's setting */
  @OrNull()
  @Nested(() => QuietHours)
  readonly quietHours?: (Partial<QuietHours> & Pick<QuietHours, 'from' | 'to'>) | null;
}

/** The most users of one request. */
const maxUsers = 1000;

/** The body of `POST /apps/<app_id>/notifications`. */
export class NotificationRequest extends NotificationBody {
  /** The user; absent with `users`. */
  @Optional()
  @IsText()
  readonly userId?: string;
  /** 1 to 1000 users, each with a notification of their own, in place of `userId`. */
  @Optional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(maxUsers)
  @IsText({ each: true })
  @IsUnique()
  readonly users?: readonly string[];
}

/** A valid request, for one user or several. */
export type CheckedNotification = NotificationBody &
  ({ readonly userId: string } | { readonly users: readonly string[] });

/**
 * Checks a notification by the rules of its class. Returns it unchanged.
 * @throws ChannelsApiError 400 naming the field
 */
export function checkedNotification(body: Readonly<Record<string, unknown>>): CheckedNotification {
  const whom = body['users'] === undefined ? 'userId' : 'users';
  for (const name of [whom, 'event']) if (body[name] === undefined || body[name] === null) throw missing(name);
  if (whom === 'users' && body['userId'] !== undefined) throw badRequest('userId must be left out beside users');
  try {
    settingsOf(NotificationRequest, body);
  } catch (error) {
    throw badRequest((error as Error).message.replace('is not a setting', 'is no parameter'));
  }
  return body as unknown as CheckedNotification; // It satisfies all rules of the class.
}

/**
 * Checks a push by the rules of a publish to each of the users.
 * @throws ChannelsApiError 400
 */
export function checkedPush(userIds: readonly string[], push: NonNullable<NotificationBody['push']>): Payloads {
  const { users, ...payloads } = push as Partial<UsersPublish>;
  const [userId] = userIds;
  if (users !== undefined && !(Array.isArray(users) && users.length === 1 && users[0] === userId && !userIds[1]))
    throw badRequest('push.users must be left out: devices of userId get the push');
  const tooLong = userIds.find((id) => Buffer.byteLength(id) > maxUserIdLength);
  // Before the rules, which call a circle deep.
  jsonIn('push', payloads, badRequest);
  if (tooLong !== undefined)
    throw badRequest(`push: the user id ${JSON.stringify(tooLong)} is longer than ${maxUserIdLength} bytes`);
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
