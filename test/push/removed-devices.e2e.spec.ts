import { Injectable, Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type DeviceRemoved, OnDeviceRemoved, PublishModule } from 'rookery/publish';
import { DevicesService, PushDeviceModule, UnseenDevices } from 'rookery/internal/push-device';
import { instance, otherInstance, startApp } from '../support/push-app.js';
import { ScriptedGateway } from '../support/scripted.gateway.js';
import { api } from '../support/publish-app.js';
import { until } from '../support/until.js';

const heard: DeviceRemoved[] = [];

@Injectable()
class Addresses {
  @OnDeviceRemoved(instance.id)
  async forget(device: DeviceRemoved): Promise<void> {
    heard.push(device);
  }
}

const fcm = new ScriptedGateway('fcm');
let host: Awaited<ReturnType<typeof startApp>>;
let push: ReturnType<typeof api>;

beforeAll(async () => {
  Logger.overrideLogger(false);
  host = await startApp([
    PushDeviceModule.forRoot({ instances: [instance, otherInstance], expireUnseenAfterDays: 30 }),
    PublishModule.forRoot({ pollMs: 20, fcmGateway: fcm, deletionGuardShare: 1 }),
    { module: class Host {}, providers: [Addresses] },
  ]);
  push = api(host.call, instance);
});
afterAll(() => host.close());
beforeEach(() => void (heard.length = 0));

const devices = (): DevicesService => host.app.get(DevicesService);
const pathOf = (id: string) => ({ instanceId: instance.id, platform: 'fcm' as const, id });
async function expectTold(reason: DeviceRemoved['reason'], deviceId: string, userId?: string): Promise<void> {
  await until(() => heard.length > 0, 'it is heard');
  const user = userId === undefined ? {} : { userId };
  expect(heard).toEqual([
    { instanceId: instance.id, deviceId, platform: 'fcm', ...user, reason, at: expect.any(Date) as Date },
  ]);
}

it('a method is told once of a device that its SDK deletes', async () => {
  const id = await push.registered();
  const path = `/device_api/v1/instances/${instance.id}/devices/fcm/${id}`;
  expect([await host.call('DELETE', path), await host.call('DELETE', path)].map(({ status }) => status)).toEqual([
    200, 200,
  ]);
  await expectTold('deleted', id);
});

it('of the devices of a deleted user', async () => {
  const id = await push.registered();
  await devices().setUser(pathOf(id), 'alice');
  expect((await push.deleteUser('alice')).status).toBe(200);
  await expectTold('user-deleted', id, 'alice');
});

it('of one whose token belongs to another device now', async () => {
  const [old, id] = [await push.registered([], 'a token'), await push.registered()];
  await devices().setUser(pathOf(old), 'bob');
  await devices().setToken(pathOf(id), 'a token');
  await expectTold('replaced', old, 'bob');
});

it('of one that its gateway reports gone', async () => {
  const id = await push.registered(['news']);
  fcm.answer = () => ({ outcome: 'unregistered' });
  await push.publish({ interests: ['news'], fcm: {} });
  await expectTold('unregistered', id);
});

it('of one that was not seen for too long', async () => {
  const id = await push.registered();
  await host.app.get(UnseenDevices).sweep();
  await host.app.get(UnseenDevices).sweep(Date.now() + 40 * 86_400_000);
  await until(() => heard.some(({ deviceId }) => deviceId === id), 'it is heard');
  expect(heard.find(({ deviceId }) => deviceId === id)).toMatchObject({ reason: 'unseen' });
});

it('and not of other instances', async () => {
  const registration = { platform: 'fcm', token: 'elsewhere', metadata: {} } as const;
  const elsewhere = await devices().register(otherInstance.id, registration);
  await devices().remove({ ...pathOf(elsewhere.id), instanceId: otherInstance.id });
  const id = await push.registered();
  await devices().remove(pathOf(id));
  await until(() => heard.length > 0, 'it is heard');
  expect(heard.map(({ deviceId }) => deviceId)).toEqual([id]);
});
