import { IsArray, IsBoolean, IsIn } from 'class-validator';
import {
  type Given,
  HostingSettings,
  IsAmount,
  IsCount,
  IsText,
  IsUnique,
  IsWebAddress,
  Nested,
  Optional,
} from 'rookery/common';
import { QuietHours } from './quiet-hours.js';

/** Platforms whose apps can be woken without showing anything. Browsers cannot: Safari ends a subscription for it. */
export const silentPlatforms = ['apns', 'fcm'] as const;
export type SilentPlatform = (typeof silentPlatforms)[number];

const day = 86_400;

/** How the users of an app are told. */
export class AppNotifications {
  /**
   * The id of the Channels app whose connections get the events; `*`: every app that stands in no other entry, also one
   * that is added while the application runs. @default the only app there is
   */
  @Optional()
  @IsText()
  readonly app?: string;
  /** The id of the Beams instance whose devices get the pushes. @default the only instance there is */
  @Optional()
  @IsText()
  readonly instance?: string;
  /** How long a page has to show a notification before it is pushed to devices, in seconds. @default 5 */
  @IsAmount(0, day)
  readonly pushAfterSeconds: number = 5;
  /** When devices are not woken; a notification may say otherwise. @default never */
  @Optional()
  @Nested(() => QuietHours)
  readonly quietHours?: QuietHours;
  /** Pushes of a user within an hour; those beyond it are left out, and stand in the feed alone. @default Infinity */
  @IsCount(1)
  readonly pushesPerHour: number = Infinity;
  /** The platforms whose apps are told by a silent push that a notification they got was read elsewhere. @default [] */
  @IsArray()
  @IsIn(silentPlatforms, { each: true, context: { shown: 'string' } })
  @IsUnique()
  readonly withdrawFrom: readonly SilentPlatform[] = [];
  /** How long notifications are kept, in seconds. @default 2592000, 30 days */
  @IsCount(day)
  readonly keepSeconds: number = 30 * day;
  /** How long the link is good that says a notification was read, in seconds. @default 604800, 7 days */
  @IsCount(60)
  readonly linkSeconds: number = 7 * day;
  /** What stands before the link's path, such as `https://ws.example.com`. @default '': pages know where the server is */
  @Optional()
  @IsWebAddress()
  readonly publicUrl?: string;
}

/** What may be written of {@link AppNotifications}. */
export type AppNotificationsConfig = Given<AppNotifications>;

/** The settings of NotificationsModule. */
export class NotificationsSettings extends HostingSettings {
  /** The apps whose users are told. @default the only app there is, with every default */
  @Nested(() => AppNotifications, { each: true })
  readonly apps: readonly AppNotificationsConfig[] = [{}];
  /** Whether this process pushes what is due; others may do it for it. @default true */
  @IsBoolean()
  readonly worker: boolean = true;
  /** How often to look for what is due, in milliseconds. @default 1000 */
  @IsCount(1)
  readonly pollMs: number = 1000;
  /** How long another process waits for the work of one that has died, in milliseconds. @default 5000 */
  @IsCount(1000)
  readonly leaseMs: number = 5000;
  /** Keep notifications in memory although `NODE_ENV` is `production`: they are lost on restart. @default false */
  @IsBoolean()
  readonly allowMemoryInProduction: boolean = false;
}

/** What `NotificationsModule.forRoot` takes besides its port. */
export type NotificationsOptions = Given<NotificationsSettings>;

/** Injection token of the module's options. */
export const notificationsOptions = Symbol('NotificationsOptions');
