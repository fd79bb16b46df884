import type { Platform } from 'rookery/push-device';
import { type Check, fields, forbidden, integer, isA, oneOf, text } from './checks.js';

/** Four weeks, in seconds (beams-wire §3.3). */
const maxTimeToLive = 2_419_200;
const timeToLive = integer(0, maxTimeToLive);

const notification = fields({
  title: isA('string'),
  body: isA('string'),
  icon: isA('string'),
  deep_link: isA('string'),
  hide_notification_if_site_has_focus: isA('boolean'),
});

/**
 * What Beams itself uses of each platform's object (beams-wire §5, §12.5). Everything else passes through to the
 * gateway, whose format it is.
 */
export const payloadChecks: Readonly<Record<Platform, Check>> = {
  apns: fields({
    aps: isA('object'),
    data: isA('object'),
    collapse_id: text({ maxBytes: 64 }),
    expiration: integer(0, Number.MAX_SAFE_INTEGER),
    priority: oneOf(1, 5, 10),
    pusher: fields({ disable_delivery_tracking: isA('boolean') }),
  }),
  fcm: fields({
    notification: isA('object'),
    data: isA('object'),
    time_to_live: timeToLive,
    collapse_key: isA('string'),
    priority: isA('string'),
  }),
  web: fields({ notification, data: fields({ pusher: forbidden }), time_to_live: timeToLive }),
};
