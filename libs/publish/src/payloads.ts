import { IsBoolean, IsIn, IsInt, IsObject, IsString, Matches, Max, Min } from 'class-validator';
import { apnsPushTypes, type ApnsPushType } from './delivery/apns/push-type.js';
import { urgencies } from './delivery/web/web-message.js';
import { allOf, IsAbsent, MaxBytes, NestedOpen, Open, Optional } from '#common';

// The fields of each platform's object that Beams itself uses (beams-wire §5, §12.5), and those with which no push could
// be delivered. All others go unchanged to the gateway, which defines their format.

/** api § Limits: four weeks, in seconds. */
const maxTimeToLive = 2_419_200;

const IsIntFrom = (least: number, most: number): PropertyDecorator => allOf(IsInt(), Min(least), Max(most));

@Open()
export class PusherOptions {
  /** Whether this notification reports neither delivery nor opening. */
  @Optional()
  @IsBoolean()
  readonly disable_delivery_tracking?: boolean;
}

/** The `apns` object of a publish: Apple's payload, and the values of its request's headers. */
@Open()
export class ApnsPayload {
  readonly [other: string]: unknown;
  @Optional()
  @IsObject()
  readonly aps?: object;
  @Optional()
  @IsObject()
  readonly data?: object;
  /** A notification replaces an earlier one with the same value: `apns-collapse-id`, at most 64 bytes. */
  @Optional()
  @IsString()
  @MaxBytes(64)
  // The printable characters of ASCII: others are not allowed in a header.
  @Matches(/^[\x20-\x7e]+$/)
  readonly collapse_id?: string;
  /** Epoch seconds until which Apple keeps trying: `apns-expiration`. */
  @Optional()
  @IsIntFrom(0, Number.MAX_SAFE_INTEGER)
  readonly expiration?: number;
  /** `apns-priority`: 1, 5 or 10. */
  @Optional()
  @IsIn([1, 5, 10])
  readonly priority?: number;
  /**
   * `apns-push-type`, an addition to Beams: `voip`, `location`, `widgets` and so on, with Apple's topic for it.
   * @default alert or background, depending on `aps`
   */
  @Optional()
  @IsIn(apnsPushTypes)
  readonly push_type?: ApnsPushType;
  @Optional()
  @NestedOpen(() => PusherOptions)
  readonly pusher?: PusherOptions;
}

/** The `fcm` object of a publish, in the form of Google's legacy API. */
@Open()
export class FcmPayload {
  readonly [other: string]: unknown;
  @Optional()
  @IsObject()
  readonly notification?: object;
  @Optional()
  @IsObject()
  readonly data?: object;
  /** How long Google keeps trying, in seconds. */
  @Optional()
  @IsIntFrom(0, maxTimeToLive)
  readonly time_to_live?: number;
  @Optional()
  @IsString()
  readonly collapse_key?: string;
  /** `normal` or `high`. */
  @Optional()
  @IsString()
  @Matches(/^(normal|high)$/i)
  readonly priority?: string;
}

/** The notification that the web SDK's service worker shows. */
@Open()
export class WebNotification {
  @Optional()
  @IsString()
  readonly title?: string;
  @Optional()
  @IsString()
  readonly body?: string;
  /** The URL of an image. */
  @Optional()
  @IsString()
  readonly icon?: string;
  /** The URL that a click opens. */
  @Optional()
  @IsString()
  readonly deep_link?: string;
  @Optional()
  @IsBoolean()
  readonly hide_notification_if_site_has_focus?: boolean;
}

@Open()
export class WebData {
  readonly [other: string]: unknown;
  /** Reserved. */
  @IsAbsent()
  readonly pusher?: undefined;
}

/** The `web` object of a publish, in the form of the web SDK. */
@Open()
export class WebPayload {
  readonly [other: string]: unknown;
  @Optional()
  @NestedOpen(() => WebNotification)
  readonly notification?: WebNotification;
  /** Data for the page's own code. */
  @Optional()
  @NestedOpen(() => WebData)
  readonly data?: WebData;
  /** How long the browser's push service keeps trying, in seconds. */
  @Optional()
  @IsIntFrom(0, maxTimeToLive)
  readonly time_to_live?: number;
  /** The `Topic` header, an addition to Beams: a notification replaces a pending one with the same value. */
  @Optional()
  @IsString()
  @Matches(/^[\w-]{1,32}$/)
  readonly topic?: string;
  /** The `Urgency` header, an addition to Beams: `very-low`, `low`, `normal` or `high`. */
  @Optional()
  @IsIn(urgencies)
  readonly urgency?: string;
}
