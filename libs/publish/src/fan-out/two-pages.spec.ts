import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FanOutWorld } from '../../../../test/support/fan-out-world.js';
import { SendLater } from '../delivery/push.gateway.js';

let given: FanOutWorld;
beforeEach(() => {
  given = new FanOutWorld();
});
afterEach(() => given.close());

const nextTurn = () => new Promise<void>((done) => setImmediate(done));

/** Calls `before` ahead of each save that settles a page. */
function watchSaves(before: (audience: number) => void) {
  const save = given.outbox.save.bind(given.outbox);
  return vi.spyOn(given.outbox, 'save').mockImplementation((...call) => {
    before(call[1].audience);
    return save(...call);
  });
}

describe('a large page', () => {
  it('is sent in halves, one while the other is saved', async () => {
    const ids = await given.register(3000);
    let [saved, unsaved, savesWhileSending] = [0, 0, 0];
    watchSaves((audience) => {
      saved = audience;
      if (given.gateways.fcm.active > 0) savesWhileSending += 1;
    });
    given.gateways.fcm.answer = async () => {
      unsaved = Math.max(unsaved, given.gateways.fcm.sent.length - saved);
      await nextTurn();
      return { outcome: 'delivered' };
    };
    const id = await given.publish();
    given.startWorker();
    expect(await given.finished(id)).toMatchObject({ fcm: { audience: 3000, sent: 3000 } });
    expect(given.gateways.fcm.sent.toSorted()).toEqual(ids);
    expect(savesWhileSending).toBeGreaterThan(2);
    expect(unsaved).toBeGreaterThan(450);
    expect(unsaved).toBeLessThanOrEqual(1000);
  });

  it('delays the partition once, even if both halves are deferred', async () => {
    await given.register(900);
    given.gateways.fcm.answer = async () => {
      await nextTurn();
      throw new SendLater('UNAVAILABLE');
    };
    const id = await given.publish();
    const release = vi.spyOn(given.outbox.jobs, 'retry');
    given.startWorker({ firstRetryMs: 1000 });
    await expect.poll(() => release).toHaveBeenCalled();
    expect((await given.status(id)).platforms).toMatchObject({ fcm: { audience: 900, retrying: 900 } });
    given.gateways.fcm.answer = () => ({ outcome: 'delivered' });
    given.now += 1000;
    expect(await given.finished(id)).toMatchObject({ fcm: { sent: 900 } });
  });

  it.each([1, 2, 3])('loses no device if half %i cannot be saved, and repeats at most a page', async (half) => {
    const ids = await given.register(2500);
    const deferred = new Set(ids.filter((_, i) => i % 10 === 0));
    given.gateways.fcm.answer = async ({ id }) => {
      await nextTurn();
      if (deferred.delete(id)) throw new SendLater('UNAVAILABLE');
      return { outcome: 'delivered' };
    };
    let saves = 0;
    watchSaves((audience) => {
      if (audience > 0 && (saves += 1) === half) throw new Error('database is away');
    });
    const id = await given.publish();
    const release = vi.spyOn(given.outbox.jobs, 'retry');
    given.startWorker();
    await expect.poll(() => release).toHaveBeenCalled();
    given.now += 5000;
    await expect.poll(() => given.laterStatus(id)).toMatchObject({ state: 'finished' });
    expect(await given.status(id)).toMatchObject({ platforms: { fcm: { audience: 2500, sent: 2500, failed: {} } } });
    expect(new Set(given.gateways.fcm.sent)).toEqual(new Set(ids));
    expect(given.gateways.fcm.sent.length).toBeLessThanOrEqual(2500 + 250 + 1000);
  });

  it('is saved once begun, even if the next cannot be read', async () => {
    await given.register(1500);
    const read = given.devices.inAudience.bind(given.devices);
    let reads = 0;
    vi.spyOn(given.devices, 'inAudience').mockImplementation((...call) => {
      if ((reads += 1) === 3) throw new Error('database is away');
      return read(...call);
    });
    const id = await given.publish();
    const release = vi.spyOn(given.outbox.jobs, 'retry');
    given.startWorker();
    await expect.poll(() => release).toHaveBeenCalled();
    expect((await given.status(id)).platforms).toMatchObject({ fcm: { audience: 900, sent: 900 } });
    given.now += 5000;
    expect(await given.finished(id)).toMatchObject({ fcm: { audience: 1500, sent: 1500 } });
    expect(given.gateways.fcm.sent).toHaveLength(1500);
  });
});
