import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FanOutWorld, hi, instance } from '../../../../test/support/fan-out-world.js';
import { type Outcome } from '../delivery/push.gateway.js';

let given: FanOutWorld;
beforeEach(() => {
  given = new FanOutWorld();
});
afterEach(() => given.close());

describe('gone devices', () => {
  const gone = (): Outcome => ({ outcome: 'unregistered' });

  it('are removed unless they have registered again since', async () => {
    const [first, second, third] = await given.register(3);
    given.gateways.fcm.answer = ({ id, registeredAt }) => {
      if (id === first) return { outcome: 'unregistered' };
      if (id === second) return { outcome: 'unregistered', before: registeredAt - 1 };
      return { outcome: 'delivered' };
    };
    const id = await given.publish();
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({
      fcm: { sent: 1, failed: { unregistered: 2 }, removedDevices: 1 },
    });
    expect(await given.devices.find(instance.id, 'fcm', first ?? '')).toBeUndefined();
    expect(await given.devices.find(instance.id, 'fcm', second ?? '')).toBeDefined();
    expect(await given.devices.find(instance.id, 'fcm', third ?? '')).toBeDefined();
  });

  it('are kept if they got a new token during the send', async () => {
    const [id = ''] = await given.register(1);
    given.gateways.fcm.answer = async () => {
      await given.devices.setToken(instance.id, 'fcm', id, 'new token', given.now + 1);
      return gone();
    };
    const publishId = await given.publish();
    given.startWorker();
    expect(await given.finished(publishId)).toMatchObject({ fcm: { failed: { unregistered: 1 }, removedDevices: 0 } });
    expect(await given.devices.find(instance.id, 'fcm', id)).toMatchObject({ token: 'new token' });
  });

  it('are removed if half of the devices are gone, or most of a few', async () => {
    await given.register(120);
    const [alive] = await given.register(10, 'web');
    let count = 0;
    given.gateways.fcm.answer = () => ((count += 1) % 2 === 0 ? { outcome: 'unregistered' } : { outcome: 'delivered' });
    given.gateways.web.answer = ({ id }) => (id === alive ? { outcome: 'delivered' } : gone());
    const id = await given.publish({ ...hi, web: {} });
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({ fcm: { removedDevices: 60 }, web: { removedDevices: 9 } });
  });
});
