import { randomUUID } from 'node:crypto';
import {
  adviceOn,
  ApnsGateway,
  FcmGateway,
  knownPushServices,
  PlatformFault,
  type PushGateway,
  WebPushGateway,
} from 'rookery/internal/publish';
import { SafeFetch } from 'rookery/internal/common';
import type { Instance, Platform } from 'rookery/push-device';
import type { ServerConfig } from '../../../server/src/config/config.js';
import { lineOf } from '../fault.js';
import { about, type Finding, type Findings } from './finding.js';
import { reasonOf } from './reason-of.js';

/** How long a push service may take to answer, in milliseconds. */
const timeoutMs = 5000;

/** A device that does not exist: a push service that reports it has accepted the credentials before. */
const unknownDevices: Readonly<
  Record<Exclude<Platform, 'web'>, { readonly token: string; readonly bundleIdentifier: string }>
> = {
  apns: { token: '0'.repeat(64), bundleIdentifier: 'rookery.doctor' },
  fcm: { token: 'rookery-doctor', bundleIdentifier: 'rookery.doctor' },
};

const payloads = {
  apns: { aps: { alert: 'doctor' } },
  fcm: { notification: { title: 'doctor' } },
  web: { notification: { title: 'doctor' } },
} as const;

/**
 * Checks whether the push services of Apple, Google and the browsers can be reached, and accept the instances'
 * credentials.
 */
export async function* gatewayFindings({ instances }: ServerConfig): Findings {
  for (const instance of instances) {
    if (!instance.apns && !instance.fcm && !instance.web)
      yield about(`push ${instance.id}`).note('it has no credentials for Apple, Google or web push yet');
    if (instance.apns) yield await sent(new ApnsGateway({ timeoutMs }), instance, 'apns');
    if (instance.fcm) yield await sent(new FcmGateway({ timeoutMs }), instance, 'fcm');
    if (instance.web) yield await signed(instance);
  }
  if (instances.some(({ web }) => web)) for (const host of knownPushServices) yield* reached(host);
}

/** Sends to a device that does not exist. */
async function sent(gateway: PushGateway, instance: Instance, platform: 'apns' | 'fcm'): Promise<Finding> {
  const say = about(`${platform} ${instance.id}`);
  try {
    const prepared = await gateway.prepare(notificationOf(instance, platform));
    if ('rejected' in prepared)
      return say.fault(prepared.rejected, 'Report this bug: the doctor sent an invalid payload');
    await prepared.send({ id: `${platform}-${randomUUID()}`, platform, registeredAt: 0, ...unknownDevices[platform] });
    return say.ok('it can be reached, and accepts the credentials');
  } catch (error) {
    const isFault = error instanceof PlatformFault;
    const { meaning, action } = isFault
      ? adviceOn(platform, 'PlatformFault', error.message)
      : adviceOn(platform, lineOf(error));
    return say.fault(`${isFault ? '' : 'it cannot be reached: '}${lineOf(error)}. ${meaning}`, action);
  } finally {
    await gateway.close();
  }
}

/** A browser's push service is known only with its device; but whether the keys match can be checked before. */
async function signed(instance: Instance): Promise<Finding> {
  const say = about(`web ${instance.id}`);
  const gateway = new WebPushGateway();
  try {
    await gateway.prepare(notificationOf(instance, 'web'));
    return say.ok('its VAPID keys match');
  } catch (error) {
    return say.fault(lineOf(error), 'Make a pair with `npx rookery keys vapid`, if no browser has subscribed yet');
  } finally {
    await gateway.close();
  }
}

const notificationOf = (instance: Instance, platform: Platform) => ({
  instance,
  publishId: 'pubid-doctor',
  publishedAt: Date.now(),
  payload: payloads[platform],
});

/** Any answer is fine. Skipped when there are many hosts. */
async function* reached(host: string): Findings {
  if (host.startsWith('*')) return;
  const say = about(`web push service ${host}`);
  const client = new SafeFetch({ allowPrivateNetwork: true, timeoutMs });
  try {
    await client.request(`https://${host}/`, { method: 'GET' });
    yield say.ok('it can be reached');
  } catch (error) {
    yield say.fault(
      `it cannot be reached: ${reasonOf(error)}`,
      'Allow this machine to connect to it: firewall, DNS, HTTPS_PROXY, NODE_EXTRA_CA_CERTS',
    );
  } finally {
    await client.close();
  }
}
