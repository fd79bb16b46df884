import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FanOutWorld, hi, instance } from '../../../../test/support/fan-out-world.js';
import { PlatformFault } from '../delivery/push.gateway.js';

let given: FanOutWorld;
beforeEach(() => {
  given = new FanOutWorld();
});
afterEach(() => given.close());

describe('a fault of the platform', () => {
  it('stops the platform, removes nobody, and leaves the others alone', async () => {
    const ids = await given.register(30);
    await given.register(3, 'web');
    given.gateways.fcm.answer = () => {
      throw new PlatformFault('Wrong project');
    };
    const id = await given.publish({ ...hi, web: {} });
    given.startWorker({ pageSize: 10, concurrency: { fcm: 1 } });
    expect(await given.finished(id)).toMatchObject({
      fcm: { audience: 30, sent: 0, failed: { PlatformFault: 30 }, removedDevices: 0, fault: 'Wrong project' },
      web: { sent: 3 },
    });
    expect(given.gateways.fcm.sent).toHaveLength(1);
    expect(await given.devices.find(instance.id, 'fcm', ids[0] ?? '')).toBeDefined();
  });

  it('is told by instances without credentials too', async () => {
    await given.register(2);
    given.gateways.fcm.fault = 'No FCM credentials';
    const id = await given.publish();
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({
      fcm: { fault: 'No FCM credentials', failed: { PlatformFault: 2 } },
    });
  });
});
