import type { Instance, Platform } from 'rookery/push-device';
import { withTimestamp } from '../delivery/apns/with-timestamp.js';
import type { Notification } from '../delivery/push.gateway.js';
import { liveActivityMode } from '../live-activities/live-activity-mode.js';
import { dueAtOf, type Publish } from '../publish.js';

/** The notification of a publish on a platform, before a gateway prepares it. */
export function notificationOf(publish: Publish, instance: Instance, platform: Platform): Notification {
  const payload = publish.payloads[platform] ?? {};
  const notification = { instance, publishId: publish.id, publishedAt: dueAtOf(publish), payload };
  const mode = platform === 'apns' ? liveActivityMode(publish) : undefined;
  if (mode === 'broadcast') return { ...notification, isBroadcast: true };
  if (mode !== 'start') return notification;
  return {
    ...notification,
    payload: withTimestamp({ ...payload, push_type: 'liveactivity' }, notification.publishedAt),
  };
}
