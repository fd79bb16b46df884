import { isObject } from '#common';
import type { Publish } from 'rookery/publish';

type Payload = NonNullable<Publish['payloads'][keyof Publish['payloads']]>;

/**
 * The publish of a push or withdrawal with the number of unread notifications: `aps.badge` for Apple, for Android
 * `notification_count` of what is shown, for Safari `app_badge`, and `data.rookery.unread` for all. A number of the application's own stays.
 *
 * The number is the one of the transaction that stores the publish: a notification that is read later has a withdrawal
 * of its own, with a lower number. Push services may deliver the two in either order.
 */
export function withBadge(publish: Publish, unread: number): Publish {
  const { apns, fcm, web } = publish.payloads;
  return {
    ...publish,
    payloads: {
      ...(apns && { apns: badgedApns(withUnread(apns, unread), unread) }),
      ...(fcm && { fcm: countedFcm(withUnread(fcm, unread), unread) }),
      ...(web && { web: badgedWeb(withUnread(web, unread), unread) }),
    },
  };
}

const objectOr = (value: unknown): Payload => (isObject(value) ? value : {});

function withUnread(payload: Payload, unread: number): Payload {
  const data = objectOr(payload['data']);
  return { ...payload, data: { ...data, rookery: { ...objectOr(data['rookery']), unread } } };
}

/** Only alerts have a badge: it would make a push of another kind invalid. */
function badgedApns(apns: Payload, unread: number): Payload {
  const { push_type: kind = 'alert', aps } = apns;
  return kind === 'alert' ? { ...apns, aps: { badge: unread, ...objectOr(aps) } } : apns;
}

/** Safari sets the badge by itself if it shows a notification without the site's worker. */
function badgedWeb(web: Payload, unread: number): Payload {
  const { notification } = web;
  return isObject(notification) ? { ...web, notification: { app_badge: unread, ...notification } } : web;
}

/** https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages#AndroidNotification */
function countedFcm(fcm: Payload, unread: number): Payload {
  const { notification, android } = fcm;
  const counted = (shown: Payload): Payload => ({ notification_count: unread, ...shown });
  if (isObject(notification)) return { ...fcm, notification: counted(notification) };
  if (!isObject(android) || !isObject(android['notification'])) return fcm;
  return { ...fcm, android: { ...android, notification: counted(android['notification']) } };
}
