import { IsArray, IsBoolean, IsIn } from 'class-validator';
import { type Given, IsAmount, IsCount, IsExactText, IsUnique, IsWebAddress, Nested, Optional } from '#common';
import { HostingSettings } from '#http';
import { QuietHours } from './quiet-hours.js';

/** Platforms that can wake an app silently. Browsers cannot: Safari cancels the subscription for it. */
export const silentPlatforms = ['apns', 'fcm'] as const;
export type SilentPlatform = (typeof silentPlatforms)[number];

const day = 86_400;

/** How the users of an app are notified. */
export class AppNotifications {
  /**
   * The Channels app; `*`: every app without an entry of its own, also later ones. @default the only app
   */
  @Optional()
  @IsExactText()
  readonly app?: string;
  /** The Beams instance that pushes. @default the only instance */
  @Optional()
  @IsExactText()
  readonly instance?: string;
  /** How long a page has to show a notification before devices get the push, in seconds. @default 5 */
  @IsAmount(0, day)
  readonly pushAfterSeconds: number = 5;
  /**
   * Hours in which pushes wait until the hours end; a notification that is shown or read by then is not pushed. A
   * notification can set other hours, or `null`. @default never
   */
  @Optional()
  @Nested(() => QuietHours)
  readonly quietHours?: QuietHours;
  /** How many pushes a user gets in an hour; further notifications appear only in the feed. @default Infinity */
  @IsCount(1)
  readonly pushesPerHour: number = Infinity;
  /** Platforms that get a silent push when a notification was read elsewhere. @default [] */
  @IsArray()
  @IsIn(silentPlatforms, { each: true, context: { shown: 'string' } })
  @IsUnique()
  readonly withdrawFrom: readonly SilentPlatform[] = [];
  /**
   * Whether pushes carry the number of unread notifications: `aps.badge`, `notification_count` and
   * `data.rookery.unread`. Platforms of `withdrawFrom` get it again after each read. @default false
   */
  @IsBoolean()
  readonly badges: boolean = false;
  /**
   * Whether the longest shown text of a push that is too large for its push service is cut, with `…`. Otherwise such a
   * push is not sent. @default true
   */
  @IsBoolean()
  readonly shorten: boolean = true;
  /** How long notifications are kept, in seconds. @default 2592000, 30 days */
  @IsCount(day)
  readonly keepSeconds: number = 30 * day;
  /** How long the link that marks a notification as read (`readUrl`) is valid, in seconds. @default 604800, 7 days */
  @IsCount(60)
  readonly linkSeconds: number = 7 * day;
  /** The server's address before each `readUrl`: `https://ws.example.com`. @default '': `readUrl` is a path */
  @Optional()
  @IsWebAddress()
  readonly publicUrl?: string;
}

/** The form in which you write {@link AppNotifications}. */
export type AppNotificationsConfig = Given<AppNotifications>;

/** The settings of NotificationsModule. */
export class NotificationsSettings extends HostingSettings {
  /** The apps whose users are notified. @default the only app, with every default */
  @Nested(() => AppNotifications, { each: true })
  readonly apps: readonly AppNotificationsConfig[] = [{}];
  /** Whether this process sends due pushes; other processes may do it instead. @default true */
  @IsBoolean()
  readonly worker: boolean = true;
  /** How often to look for due notifications, in milliseconds. @default 1000 */
  @IsCount(1)
  readonly pollMs: number = 1000;
  /** How long before another process takes over the work of one that died, in milliseconds. @default 5000 */
  @IsCount(1000)
  readonly leaseMs: number = 5000;
  /** Keep notifications in memory although `NODE_ENV` is `production`: they are lost on restart. @default false */
  @IsBoolean()
  readonly allowMemoryInProduction: boolean = false;
}

/** What `NotificationsModule.forRoot` takes besides its port. */
export type NotificationsOptions = Given<NotificationsSettings>;
