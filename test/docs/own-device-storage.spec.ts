import { Injectable, Module } from '@nestjs/common';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeviceRepository, DevicesService, PushDeviceModule } from 'rookery/push-device';
import { describeDeviceRepository, RookeryTesting } from '@rookery/testing';
import { expect, it } from 'vitest';
import { StoredDeviceRepository } from '../../examples/custom-storage/src/ports/device.repository.js';
import { DocumentStore } from '../../examples/custom-storage/src/store/document.store.js';
import { LiveStore } from '../../examples/custom-storage/src/store/live.store.js';
import { instance } from '../support/push-app.js';

// What docs/own-device-storage.md shows. That it shows this is what snippets.spec.ts looks after.

@Injectable()
class MyDeviceRepository extends StoredDeviceRepository {}

@Module({ providers: [{ provide: DocumentStore, useClass: LiveStore }], exports: [DocumentStore] })
class DatabaseModule {}

const { id: instanceId, secretKey } = instance;
const emptyDatabase = async () => Object.assign(new LiveStore(), { close: () => undefined });

const pushDevices = [
  PushDeviceModule.forRoot({
    instances: [{ id: instanceId, secretKey }],
    imports: [DatabaseModule],
    deviceRepository: MyDeviceRepository,
  }),
];

it('serves devices of a repository of the application', async () => {
  const rookery = await RookeryTesting.start(pushDevices);
  try {
    expect(rookery.get(DeviceRepository)).toBeInstanceOf(MyDeviceRepository);
    await rookery.register({ user: 'ann', interests: ['news'] });
    const { devices } = await rookery.get(DevicesService).inAudience(instanceId, { users: ['ann'] }, '', 10);
    expect(devices).toMatchObject([{ userId: 'ann' }]);
  } finally {
    await rookery.close();
  }
});

describeDeviceRepository(async (atEnd) => {
  const database = await emptyDatabase();
  atEnd(() => database.close());
  return new MyDeviceRepository(database);
});

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

it('has a row for each method of the port', () => {
  const methods = Array.from(
    read('libs/push-device/src/device.repository.ts').matchAll(/^ {2}abstract (\w+)\(/gm),
    ([, name]) => name,
  );
  const page = read('docs/own-device-storage.md');
  const named = Array.from(page.matchAll(/^- (?:`\w+`(?:, )?)+/gm), ([names]) => names.match(/\w+/g)!).flat();
  expect(new Set(named)).toEqual(new Set(methods));
  expect(named).toHaveLength(methods.length);
  expect(page).toContain(`${methods.length} methods`);
});
