import { describe, expect, it } from 'vitest';
import { AppRepository } from 'rookery/channels';
import { type Device, InstanceRepository, MemoryDeviceRepository, type Platform } from 'rookery/push-device';
import {
  contractApps,
  contractInstances,
  describeAppRepository,
  describeDeviceRepository,
  describeInstanceRepository,
} from '@rookery/testing';
import { brokenPromises } from './broken-promises.js';

// What an ORM answers: `null` for what it does not find, and rows with columns of the application's own.

const own = { createdAt: new Date(), tenant: { name: 'Shop' } };

class AppsOfAnOrm extends AppRepository {
  private readonly rows = contractApps.map(({ id, key, secret }) => ({ ...own, id, key, secret }));

  async findById(id: string) {
    return this.rows.find((row) => row.id === id) ?? null;
  }

  async findByKey(key: string) {
    return this.rows.find((row) => row.key === key) ?? null;
  }
}

class InstancesOfAnOrm extends InstanceRepository {
  private readonly rows = contractInstances.map((row) => ({ ...own, ...row, id: row.id.toLowerCase() }));

  async find(id: string) {
    return this.rows.find((row) => row.id === id.toLowerCase()) ?? null;
  }
}

class DevicesOfAnOrm extends MemoryDeviceRepository {
  override find(instanceId: string, platform: Platform, id: string): Device {
    const found = super.find(instanceId, platform, id);
    // As the port has it; this class answers a narrower type.
    return (found ? { ...own, ...found } : null) as Device;
  }
}

describe('the contract is kept by rows as they are', () => {
  it('of apps without further keys', async () => {
    expect(await brokenPromises(describeAppRepository, () => new AppsOfAnOrm())).toEqual([]);
  });

  it('of instances', async () => {
    expect(await brokenPromises(describeInstanceRepository, () => new InstancesOfAnOrm())).toEqual([]);
  });

  it('of devices', async () => {
    expect(await brokenPromises(describeDeviceRepository, () => new DevicesOfAnOrm())).toEqual([]);
  });
});
