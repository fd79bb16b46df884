import assert from 'node:assert/strict';
import { PlatformFault, SendLater, type Outcome, type PreparedNotification, type PushGateway } from 'rookery/publish';
import type { DeviceAddress, Instance, Platform } from 'rookery/push-device';
import { contract } from './contract.js';
import { matches, same } from './assertions.js';
import { until } from '../until.js';

/** How a push service can be made to react to a device. */
export type Reaction =
  'takes it' | 'is busy for 7 s' | 'is down' | 'has forgotten it' | 'dislikes it' | 'dislikes us' | 'is silent';

/** A gateway and its push service, which the test controls and observes. */
export interface GatewayAndService {
  readonly platform: Platform;
  readonly gateway: PushGateway;
  readonly instance: Instance;
  /** Whether it has its own credentials and needs none of an instance. @default false */
  readonly hasOwnCredentials?: boolean;
  /** A payload that lives for some seconds, with a text of some bytes in it. */
  payload(seconds: number, bytes: number): Readonly<Record<string, unknown>>;
  device(): DeviceAddress;
  /** Sets how the service reacts to the device's notifications, in turn; the last reaction is repeated. */
  expect(device: DeviceAddress, ...reactions: Reaction[]): void;
  /** The tokens of the notifications that the service received. */
  received(): readonly string[];
  openConnections(): number;
  /** Texts that must not appear in any message. */
  readonly secrets: readonly string[];
}

/** The contract of every PushGateway. */
export const describePushGateway = contract<GatewayAndService>('PushGateway', [
  {
    promise: 'names its platform',
    async test({ gateway, platform }) {
      assert.equal(gateway.platform, platform);
    },
  },
  {
    promise: 'delivers to a device',
    async test(given) {
      const device = given.device();
      same(await (await prepared(given)).send(device), { outcome: 'delivered' });
      same(given.received(), [device.token]);
    },
  },
  {
    promise: 'delivers to many devices concurrently, once to each',
    async test(given) {
      const devices = Array.from({ length: 300 }, () => given.device());
      const outcomes = await sendAll(await prepared(given), devices);
      same(
        outcomes,
        devices.map(() => ({ outcome: 'delivered' })),
      );
      same(given.received().toSorted(), devices.map(({ token }) => token).toSorted());
    },
  },
  {
    promise: 'does not mix up several notifications',
    async test(given) {
      const [first, second] = [await prepared(given), await prepared(given, { seconds: 5 })];
      same([first.ttlMs, second.ttlMs], [60_000, 5000]);
      same(await first.send(given.device()), { outcome: 'delivered' });
      same(await second.send(given.device()), { outcome: 'delivered' });
    },
  },
  {
    promise: 'sends nothing that is too large',
    async test(given) {
      same(await prepare(given, { bytes: 5000 }), { rejected: 'PayloadTooLarge' });
      same(given.received(), []);
    },
  },
  {
    promise: 'refuses in advance only what it would not send, if it does',
    async test(given) {
      const { gateway } = given;
      assert.equal(gateway.refusal?.(notification(given)), undefined);
      const refusal = gateway.refusal?.(notification(given, { bytes: 5000 }));
      if (refusal !== undefined) same(await prepare(given, { bytes: 5000 }), { rejected: refusal });
      same(given.received(), []);
    },
  },
  {
    promise: 'reports an instance without credentials, unless it has its own',
    async test(given) {
      const instance = { id: given.instance.id, secretKey: given.instance.secretKey };
      const preparing = prepare({ ...given, instance });
      if (given.hasOwnCredentials) assert.ok('ttlMs' in (await preparing));
      else await assert.rejects(preparing, PlatformFault);
    },
  },
  {
    promise: 'reports that a device is unregistered',
    async test(given) {
      const device = given.device();
      given.expect(device, 'has forgotten it');
      matches(await (await prepared(given)).send(device), { outcome: 'unregistered' });
    },
  },
  {
    promise: 'keeps a device that rejects this notification, and reports why',
    async test(given) {
      const device = given.device();
      given.expect(device, 'dislikes it');
      const outcome = await (await prepared(given)).send(device);
      assert.ok(outcome.outcome === 'rejected');
      assert.match(outcome.reason, /./);
    },
  },
  {
    promise: 'postpones what a busy service defers, reports until when, and then delivers it',
    async test(given) {
      const device = given.device();
      given.expect(device, 'is busy for 7 s', 'takes it');
      const notification = await prepared(given);
      const later = await failure(notification.send(device));
      assert.ok(later instanceof SendLater);
      matches(later, { retryAfterMs: 7000 });
      same(await notification.send(device), { outcome: 'delivered' });
    },
  },
  {
    promise: 'postpones what an unavailable service cannot accept',
    async test(given) {
      const device = given.device();
      given.expect(device, 'is down');
      assert.ok((await failure((await prepared(given)).send(device))) instanceof SendLater);
    },
  },
  {
    promise: 'blames no device for our credentials',
    async test(given) {
      const device = given.device();
      given.expect(device, 'dislikes us');
      const sending = (await prepared(given)).send(device);
      const outcome = await sending.catch((error: unknown) => error);
      if (!(outcome instanceof PlatformFault)) matches(outcome, { outcome: 'rejected' });
    },
  },
  {
    promise: 'sends to other devices when some are unregistered, busy or down',
    async test(given) {
      const devices = Array.from({ length: 40 }, () => given.device());
      given.expect(devices[3]!, 'has forgotten it');
      given.expect(devices[11]!, 'is busy for 7 s');
      given.expect(devices[19]!, 'is down');
      const outcomes = await sendAll(await prepared(given), devices);
      assert.equal(outcomes.filter((outcome) => outcome === 'later').length, 2);
      assert.equal(outcomes.filter((outcome) => outcome !== 'later' && outcome.outcome === 'delivered').length, 37);
    },
  },
  {
    promise: 'reveals no token and no credential in its errors',
    async test(given) {
      const notification = await prepared(given);
      for (const reaction of ['is busy for 7 s', 'is down', 'dislikes us', 'dislikes it'] as const) {
        const device = given.device();
        given.expect(device, reaction);
        const said = await notification.send(device).then(JSON.stringify, (error: Error) => everythingIn(error));
        for (const secret of [device.token, ...given.secrets]) assert.ok(!said.includes(secret));
      }
    },
  },
  {
    promise: 'postpones work in progress when it is closed, and closes its connections',
    async test(given) {
      const device = given.device();
      given.expect(device, 'is silent');
      const notification = await prepared(given);
      await notification.send(given.device());
      const sending = failure(notification.send(device));
      await given.gateway.close();
      assert.ok((await sending) instanceof SendLater);
      await until(() => given.openConnections() === 0, 'the connections are closed', 2000);
    },
  },
]);

interface Wish {
  readonly seconds?: number;
  readonly bytes?: number;
}

function notification({ instance, payload }: GatewayAndService, { seconds = 60, bytes = 10 }: Wish = {}) {
  // APNs' expiration is a whole second, so the publish uses one too.
  const publishedAt = Math.floor(Date.now() / 1000) * 1000;
  return { instance, publishId: 'pubid-1', publishedAt, payload: payload(seconds, bytes) };
}

const prepare = (given: GatewayAndService, wish?: Wish) => given.gateway.prepare(notification(given, wish));

async function prepared(given: GatewayAndService, wish?: Wish): Promise<PreparedNotification> {
  const notification = await prepare(given, wish);
  if ('rejected' in notification) throw new Error(`It was rejected: ${notification.rejected}`);
  return notification;
}

/** The outcome of each; `later` where SendLater was thrown. */
function sendAll(
  notification: PreparedNotification,
  devices: readonly DeviceAddress[],
): Promise<(Outcome | 'later')[]> {
  return Promise.all(
    devices.map((device) =>
      notification.send(device).catch((error: unknown): 'later' => {
        if (error instanceof SendLater) return 'later';
        throw error;
      }),
    ),
  );
}

async function failure(sending: Promise<unknown>): Promise<unknown> {
  try {
    await sending;
  } catch (error) {
    return error;
  }
  throw new Error('It should have failed');
}

function everythingIn(error: Error): string {
  return [error.stack, JSON.stringify(error), String(error.cause)].join('\n');
}
