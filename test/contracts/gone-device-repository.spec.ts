import { expect, it } from 'vitest';
import { type AnsweredPage, type HeldDevice, type InstancePlatform, MemoryGoneDeviceRepository } from 'rookery/publish';
import { TypeOrmGoneDeviceRepository } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describeGoneDeviceRepository } from 'rookery/testing';
import { brokenPromises } from './broken-promises.js';
import { describeNode } from '../support/services.js';

describeNode('MemoryGoneDeviceRepository', () => {
  describeGoneDeviceRepository(() => new MemoryGoneDeviceRepository());
});

const publishes = ['pubid-1', 'pubid-2', 'pubid-3'];

describeDatabases('TypeOrmGoneDeviceRepository', ({ database }) => {
  describeGoneDeviceRepository(async () => {
    for (const table of ['gone_devices', 'gateway_answers', 'publish_deletions', 'publishes'])
      await database().execute(`DELETE FROM rookery_${table}`);
    for (const id of publishes)
      await database().execute(
        `INSERT INTO rookery_publishes (id, instance_id, body, created_at) VALUES (?, 'instance', '{}', 1)`,
        [id],
      );
    return new TypeOrmGoneDeviceRepository(database());
  });

  it('leaves no counts of a publish that was forgotten before its held devices', async () => {
    for (const table of ['gone_devices', 'publish_deletions', 'publishes'])
      await database().execute(`DELETE FROM rookery_${table}`);
    const gone = new TypeOrmGoneDeviceRepository(database());
    const apns = { instanceId: 'instance', platform: 'apns' } as const;
    const devices = [{ id: 'apns-1', before: 1 }];
    await gone.note(apns, { publishId: 'pubid-old', at: 1, since: 0, sent: 0, gone: devices });
    await gone.settle(apns, 'pubid-old', ['apns-1'], 1);
    expect(await database().read('SELECT * FROM rookery_publish_deletions')).toEqual([]);
  });
});

class MixesPlatforms extends MemoryGoneDeviceRepository {
  override answers({ instanceId }: InstancePlatform) {
    return super.answers({ instanceId, platform: 'apns' });
  }
}
class ForgetsWithTime extends MemoryGoneDeviceRepository {
  override async note(of: InstancePlatform, page: AnsweredPage): Promise<void> {
    if (page.since > 0) await super.forgetAnswers(of);
    await super.note(of, page);
  }
}
class NeverForgets extends MemoryGoneDeviceRepository {
  override note(of: InstancePlatform, page: AnsweredPage): Promise<void> {
    return super.note(of, { ...page, since: -1 });
  }
}
class HoldsForTheLastPublish extends MemoryGoneDeviceRepository {
  override async note(of: InstancePlatform, page: AnsweredPage): Promise<void> {
    for (const { id, publishId } of await super.heldAmong(
      of,
      page.gone.map((device) => device.id),
    ))
      await super.settle(of, publishId, [id], 0);
    await super.note(of, page);
  }
}
/** As an implementation would that reads the count first and writes it afterwards. */
class LosesConcurrentAnswers extends MemoryGoneDeviceRepository {
  private queue = new Map<string, AnsweredPage>();
  override async note(of: InstancePlatform, page: AnsweredPage): Promise<void> {
    this.queue.set(`${of.instanceId} ${of.platform} ${page.at}`, page);
    await new Promise((resolve) => setImmediate(resolve));
    const last = this.queue.get(`${of.instanceId} ${of.platform} ${page.at}`);
    if (last === page) await super.note(of, page);
  }
}
class SettlesForAnyPublish extends MemoryGoneDeviceRepository {
  override async settle(of: InstancePlatform, _publishId: string, ids: readonly string[], removed: number) {
    for (const { id, publishId } of await super.heldAmong(of, ids)) await super.settle(of, publishId, [id], removed);
  }
}
class HoldsOneAtATime extends MemoryGoneDeviceRepository {
  override held(of: InstancePlatform): Promise<readonly HeldDevice[]> {
    return super.held(of, 1);
  }
}
class ForgetsHeldDevices extends MemoryGoneDeviceRepository {
  override async totals() {
    return [];
  }
}

describeNode('the contract of GoneDeviceRepository rejects an implementation that', () => {
  it.each([
    [MixesPlatforms, 'sums the answers of a gateway, separately for each gateway'],
    [ForgetsWithTime, 'forgets old answers, but not while a device is held'],
    [NeverForgets, 'forgets old answers, but not while a device is held'],
    [HoldsForTheLastPublish, 'holds a whole page of devices, each as first found'],
    [HoldsOneAtATime, 'holds a whole page of devices, each as first found'],
    [LosesConcurrentAnswers, 'holds a device once when pages are concurrent, and counts every answer'],
    [SettlesForAnyPublish, 'settles devices once, for the publish that found them'],
    [ForgetsHeldDevices, 'answers how many are held in all, even after their publish is forgotten'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describeGoneDeviceRepository, () => new Broken())).toContain(promise);
  });
});
