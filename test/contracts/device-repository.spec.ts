import { describe } from 'vitest';
import { MemoryDeviceRepository } from 'rookery/push-device';
import { TypeOrmDeviceRepository } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { itKeeps } from './contract.js';
import { deviceRepositoryContract } from './device-repository.contract.js';

describe('MemoryDeviceRepository', () => {
  itKeeps(deviceRepositoryContract, () => ({ port: new MemoryDeviceRepository() }));
});

describeDatabases('TypeOrmDeviceRepository', ({ database }) => {
  itKeeps(deviceRepositoryContract, async () => {
    await database().execute('DELETE FROM rookery_devices');
    return { port: new TypeOrmDeviceRepository(database()) };
  });
});
