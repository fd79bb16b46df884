import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ChannelsModule } from 'rookery/channels';
import { ConsoleModule } from '@rookery/console';
import { PresenceModule } from 'rookery/presence';
import { type Outcome, PlatformFault, PublishModule, SendLater } from 'rookery/publish';
import { DevicesService, type Instance, PushDeviceModule } from 'rookery/push-device';
import { sendTest } from '../../libs/console/src/push/device-test.js';
import { testApp } from '../support/channels-server.js';
import { ConsoleClient } from '../support/console-client.js';
import { applePem, googlePem } from '../support/private-keys.js';
import { instance as withoutCredentials, otherInstance, startApp } from '../support/push-app.js';
import { ScriptedGateway } from '../support/scripted.gateway.js';

const password = 'a password for tests';
const instance: Instance = {
  ...otherInstance,
  apns: { key: applePem(), keyId: 'KEY', teamId: 'TEAM' },
  fcm: { serviceAccount: { project_id: 'shop', client_email: 'a@shop.example', private_key: googlePem() } },
};
const [apns, fcm] = [new ScriptedGateway('apns'), new ScriptedGateway('fcm')];
let app: Awaited<ReturnType<typeof startApp>>;
let console_: ConsoleClient;

beforeAll(async () => {
  app = await startApp([
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [testApp] }),
    PushDeviceModule.forRoot({ instances: [instance, withoutCredentials] }),
    PublishModule.forRoot({ apnsGateway: apns, fcmGateway: fcm }),
    ConsoleModule.forRoot({ password }),
  ]);
  console_ = new ConsoleClient(app.port, password);
});
afterAll(() => app.close());
beforeEach(() => Object.assign(fcm, new ScriptedGateway('fcm')));

async function registered(platform: 'apns' | 'fcm' = 'fcm', { id: instanceId } = instance): Promise<string> {
  const bundle = platform === 'apns' ? { bundleIdentifier: 'com.example.app' } : {};
  const registration = { platform, token: crypto.randomUUID(), metadata: {}, ...bundle };
  return (await app.app.get(DevicesService).register(instanceId, registration)).id;
}

const testOf = (device: string, given: object = {}, { id } = instance) =>
  console_.ask('POST', `instances/${id}/devices/${device}/test`, given);

it('sends one notification to one device, which needs no user, and stores no publish', async () => {
  const [device] = [await registered(), await registered()];
  const body = { fcm: { notification: { title: 'For you' } }, apns: { aps: { alert: 'x' } } };
  const { status, json } = await testOf(device, { body });
  expect([status, json]).toEqual([200, { outcome: 'delivered', reason: null, durationMs: expect.any(Number) }]);
  expect(fcm.sent).toEqual([device]);
  expect(fcm.prepared[0]).toMatchObject({ payload: body.fcm, instance: { id: instance.id } });
  expect(await console_.get(`instances/${instance.id}/publishes`)).toMatchObject({ publishes: [] });
});

it("sends a small default notification for the device's platform", async () => {
  const device = await registered('apns');
  expect((await testOf(device)).json).toMatchObject({ outcome: 'delivered' });
  expect(apns.sent).toEqual([device]);
  expect(apns.prepared[0]!.payload).toEqual({ aps: { alert: { title: 'Test', body: expect.any(String) } } });
});

it.each<[string, () => Outcome, object]>([
  ['a token that is gone', () => ({ outcome: 'unregistered' }), { outcome: 'unregistered', reason: null }],
  [
    'a refused notification',
    () => ({ outcome: 'rejected', reason: 'INVALID_ARGUMENT' }),
    { outcome: 'rejected', reason: 'INVALID_ARGUMENT' },
  ],
  [
    'a busy push service',
    () => {
      throw new SendLater('UNAVAILABLE', 5000);
    },
    { outcome: 'later', reason: 'UNAVAILABLE' },
  ],
  [
    'wrong credentials',
    () => {
      throw new PlatformFault('Google gives no access token');
    },
    { outcome: 'refused', reason: 'Google gives no access token' },
  ],
])('answers with %s', async (_, answer, expected) => {
  const device = await registered();
  fcm.answer = answer;
  const { status, json } = await testOf(device);
  expect([status, json]).toEqual([200, { ...expected, durationMs: expect.any(Number) }]);
  expect((await console_.get(`instances/${instance.id}/devices?device=${device}`)).devices).toHaveLength(1);
});

it('answers with a payload that cannot be prepared, and with a fault of the credentials', async () => {
  const device = await registered();
  fcm.rejected = 'PayloadTooLarge';
  expect((await testOf(device)).json).toMatchObject({ outcome: 'rejected', reason: 'PayloadTooLarge' });
  fcm.fault = 'The key cannot be read';
  expect((await testOf(device)).json).toMatchObject({ outcome: 'refused', reason: 'The key cannot be read' });
});

it('gives up on a push service that does not answer', async () => {
  const silent = new ScriptedGateway('fcm');
  silent.answer = () => new Promise<never>(() => undefined);
  const address = { id: 'fcm-1', platform: 'fcm', token: 't', bundleIdentifier: undefined, userId: undefined } as const;
  const device = { ...address, instanceId: instance.id, registeredAt: 0, metadata: {} };
  const test = { instance, publishId: 'pubid-1', publishedAt: 0, payload: {} };
  expect(await sendTest(silent, test, device, 5)).toMatchObject({
    outcome: 'later',
    reason: expect.stringMatching(/did not answer/),
  });
});

it('refuses in words what cannot be sent', async () => {
  const device = await registered();
  const refused = async (...given: Parameters<typeof testOf>) => {
    const { status, json } = await testOf(...given);
    return [status, json.error];
  };
  expect(await refused(`fcm-${crypto.randomUUID()}`)).toEqual([404, 'The device was not found.']);
  expect(await refused('nonsense')).toEqual([404, 'The device was not found.']);
  expect(await refused(device, {}, withoutCredentials)).toEqual([404, 'The device was not found.']);
  expect(await refused(await registered('fcm', withoutCredentials), {}, withoutCredentials)).toEqual([
    400,
    'The instance has no credentials for fcm: add them to its settings first.',
  ]);
  expect(await refused(device, { body: 'text' })).toEqual([400, 'body must be an object.']);
  expect(await refused(device, { body: {} })).toEqual([422, expect.stringMatching(/\w+ \w+/)]);
  expect(await refused(device, { body: { fcm: 'text' } })).toEqual([422, expect.stringContaining('`fcm`')]);
  expect(await refused(device, { body: { apns: { aps: {} } } })).toEqual([
    400,
    'The platform of the device is fcm: body.fcm is missing.',
  ]);
});
