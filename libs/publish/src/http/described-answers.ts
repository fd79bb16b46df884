import { describing } from '#http';
import { platforms } from 'rookery/push-device';
import type { Explanation } from '../explanations.js';
import { outcomes } from '../outbox/device-outcome.js';
import type { PlatformStatus, PublishStatus } from '../publish-status.js';

const { count, inPath, listOf, mapOf, oneOf, pageOf, shape, text, time } = describing;

type Shaped<T> = { readonly [Field in keyof T]-?: describing.Shape };

const platform: Shaped<Omit<PlatformStatus, 'fault' | 'explanations' | 'retryAt'>> = {
  audience: count,
  sent: count,
  failed: mapOf(count),
  retrying: count,
  removedDevices: count,
  delivered: count,
  opened: count,
};

const explanation: Shaped<Explanation> = { reason: text, devices: count, meaning: text, action: text };

const platformStatus = shape(platform, {
  fault: text,
  retryAt: time,
  explanations: listOf(shape(explanation)),
});

const status: Shaped<Omit<PublishStatus, 'publishAt' | 'finishedAt'>> = {
  publishId: text,
  state: oneOf('scheduled', 'pending', 'sending', 'finished', 'cancelled'),
  createdAt: time,
  platforms: shape({}, Object.fromEntries(platforms.map((each) => [each, platformStatus]))),
};

/** {@link PublishStatus} */
export const publishStatus = shape(status, { publishAt: time, finishedAt: time });

export const publishStatusExample = {
  publishId: 'pubid-3b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60',
  state: 'finished',
  createdAt: '2026-11-21T09:00:00.000Z',
  finishedAt: '2026-11-21T09:00:01.000Z',
  platforms: {
    fcm: { audience: 3, sent: 2, failed: { UNREGISTERED: 1 }, retrying: 0, removedDevices: 1, delivered: 2, opened: 0 },
  },
};

/** The outcomes of a publish's devices. */
export const deviceOutcomes = pageOf(
  'devices',
  shape({ id: text, outcome: oneOf(...outcomes) }, { reason: text, reports: listOf(oneOf('delivery', 'open')) }),
);

/** Devices of a user, or of an interest. */
export const devicesOf = pageOf(
  'devices',
  shape({ id: text, platform: oneOf(...platforms), userId: text, registeredAt: time }, { bundleIdentifier: text }),
);

/** The publish in the path of an endpoint. */
export const publishId = inPath('publishId', 'The id answered to the publish', text, publishStatusExample.publishId);

/** The user in the path of an endpoint. */
export const userId = inPath('userId', 'The id of the user', { type: 'string', maxLength: 164 }, 'alice');
