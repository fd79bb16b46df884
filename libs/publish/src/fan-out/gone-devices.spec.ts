import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FanOutWorld, hi, instance } from '../../../../test/support/fan-out-world.js';
import { type Outcome } from '../delivery/push.gateway.js';

let given: FanOutWorld;
beforeEach(() => {
  given = new FanOutWorld();
});
afterEach(() => given.close());

describe('devices that are gone', () => {
  const gone = (): Outcome => ({ outcome: 'unregistered' });

  it('are removed, unless they registered again since', async () => {
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

  it('are kept when they got a new token while the old one was asked about', async () => {
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

  it('are all kept when more than half of a large page is gone', async () => {
    const ids = await given.register(120);
    given.gateways.fcm.answer = gone;
    const id = await given.publish();
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({
      fcm: { failed: { unregistered: 120 }, removedDevices: 0, deletionPaused: true },
    });
    expect(await given.devices.find(instance.id, 'fcm', ids[0] ?? '')).toBeDefined();
  });

  it('are kept for an hour then, on that platform of that instance', async () => {
    await given.register(120);
    await given.register(10, 'web');
    given.gateways.fcm.answer = gone;
    given.gateways.web.answer = gone;
    given.startWorker();
    await given.finished(await given.publish());
    await given.register(3, 'fcm', 'few');
    expect(await given.finished(await given.publish(hi, ['few']))).toMatchObject({
      fcm: { removedDevices: 0, deletionPaused: true },
    });
    expect(await given.finished(await given.publish({ web: {} }))).toMatchObject({ web: { removedDevices: 10 } });
    given.now += 3_600_000;
    expect(await given.finished(await given.publish(hi, ['few']))).toMatchObject({ fcm: { removedDevices: 3 } });
  });

  it('are removed when half of a page is gone, or all of a small one', async () => {
    await given.register(120);
    await given.register(50, 'web');
    let count = 0;
    given.gateways.fcm.answer = () => ((count += 1) % 2 === 0 ? { outcome: 'unregistered' } : { outcome: 'delivered' });
    given.gateways.web.answer = gone;
    const id = await given.publish({ ...hi, web: {} });
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({ fcm: { removedDevices: 60 }, web: { removedDevices: 50 } });
  });
});
