import { setTimeout as sleep } from 'node:timers/promises';
import { isObject } from 'rookery/internal/common';
import {
  checkedPublish,
  type Notification,
  PlatformFault,
  type PushGateway,
  publishOf,
  SendLater,
} from 'rookery/internal/publish';
import type { Device, Instance } from 'rookery/push-device';
import type { DeviceTest } from '../contract/index.js';
import { badRequest } from '../console.errors.js';

const notification = { title: 'Test', body: 'Sent by Rookery to this device alone.' };
const defaults = { apns: { aps: { alert: notification } }, fcm: { notification }, web: { notification } };

/**
 * A notification for one device, with the checks of a publish. Of the payloads, the device's platform has one.
 * @throws ConsoleError 400, or ApiError 422
 */
export function testNotification(instance: Instance, { platform }: Device, body: unknown = defaults): Notification {
  if (!isObject(body)) throw badRequest('body must be an object.');
  if (!instance[platform])
    throw badRequest(`The instance has no credentials for ${platform}: add them to its settings first.`);
  const { apns, fcm, web } = body;
  const now = Date.now();
  const { id, payloads } = publishOf(instance.id, checkedPublish({ interests: ['test'], apns, fcm, web }), now);
  const payload = payloads[platform];
  if (!payload) throw badRequest(`The platform of the device is ${platform}: body.${platform} is missing.`);
  return { instance, publishId: id, publishedAt: now, payload };
}

/** Sends to the device once. A gateway may retry longer than a person waits. */
export async function sendTest(
  gateway: PushGateway,
  test: Notification,
  device: Device,
  patienceMs = 10_000,
): Promise<DeviceTest> {
  const begun = performance.now();
  const late: Answer = { outcome: 'later', reason: `The push service did not answer within ${patienceMs / 1000} s` };
  const answer = await Promise.race([answerOf(gateway, test, device), sleep(patienceMs, late, { ref: false })]);
  return { ...answer, durationMs: Math.round(performance.now() - begun) };
}

type Answer = Omit<DeviceTest, 'durationMs'>;

async function answerOf(gateway: PushGateway, test: Notification, device: Device): Promise<Answer> {
  try {
    const prepared = await gateway.prepare(test);
    if ('rejected' in prepared) return { outcome: 'rejected', reason: prepared.rejected };
    const answer = await prepared.send(device);
    return { outcome: answer.outcome, reason: answer.outcome === 'rejected' ? answer.reason : null };
  } catch (error) {
    if (error instanceof SendLater) return { outcome: 'later', reason: error.reason };
    if (error instanceof PlatformFault) return { outcome: 'refused', reason: error.message };
    throw error;
  }
}
