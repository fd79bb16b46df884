import { createHash } from 'node:crypto';
import { isObject } from '#common';
import type { Payloads } from 'rookery/publish';
import type { SilentPlatform } from './notifications.options.js';
import type { NotifyingApp } from './notifying-apps.js';
import type { NotificationRecord } from './store/notification.js';

/** Added to the application's data: in an event, and in the `data` of a push. */
export interface PageFields {
  readonly id: string;
  /** The URL to which to report that it was read. */
  readonly readUrl: string;
}

/**
 * The payloads of a push, with the notification's id and the keys to replace an earlier one, in transit and on the
 * device.
 */
export function pushOf({ push = {}, collapseKey }: NotificationRecord, fields: PageFields): Payloads {
  const payloads = Object.entries(push).map(([platform, payload]) => {
    const data = { ...(isObject(payload['data']) && payload['data']), rookery: fields };
    return [platform, { ...payload, data }] as const;
  });
  const { apns, fcm, web } = Object.fromEntries(payloads) as Payloads;
  const id = collapseKey === undefined ? undefined : collapseId(collapseKey);
  return {
    ...(apns && { apns: { ...(id && { collapse_id: id }), ...apns } }),
    ...(fcm && { fcm: id ? collapsedFcm(fcm, id) : fcm }),
    ...(web && { web: { ...(id && { topic: id }), ...web } }),
  };
}

type Payload = NonNullable<Payloads[keyof Payloads]>;

/** `collapse_key` replaces messages in transit; `tag` replaces one already shown. */
function collapsedFcm(fcm: Payload, id: string): Payload {
  const { notification } = fcm;
  return { collapse_key: id, ...fcm, ...(isObject(notification) && { notification: { tag: id, ...notification } }) };
}

/** Fits every platform: web push accepts 32 characters of base64url. */
const collapseId = (key: string): string => createHash('sha256').update(key).digest('base64url').slice(0, 32);

/** 80 UUIDs take 3.3 KB in the text of a push, of which Apple and Google take 4 KB. */
export const withdrawnAtOnce = 80;

/**
 * Silent pushes that make apps remove notifications; none if they were sent to none of the platforms of `withdrawFrom`.
 * With badges, all of these get one, since each shows the number of unread notifications.
 * @param withdrawn their ids, at most {@link withdrawnAtOnce}
 */
export function withdrawalOf(
  withdrawn: readonly string[],
  platforms: readonly string[],
  { withdrawFrom, badges }: Pick<NotifyingApp, 'withdrawFrom' | 'badges'>,
): Payloads | undefined {
  const data = { rookery: { withdrawn } };
  const silent: Record<SilentPlatform, Payload> = { apns: { aps: { 'content-available': 1 }, data }, fcm: { data } };
  const asked = withdrawFrom.filter((platform) => badges || platforms.includes(platform));
  return asked.length === 0 ? undefined : Object.fromEntries(asked.map((platform) => [platform, silent[platform]]));
}
