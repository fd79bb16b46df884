import assert from 'node:assert/strict';
import { SettingsConflict } from 'rookery/internal/common';
import type { EditableSettings, Instance, InstanceRepository } from 'rookery/push-device';
import { contract } from './contract.js';
import { matches, same } from './assertions.js';

const shop: Instance = {
  id: '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60',
  secretKey: 'first ünïcödé',
  web: { vapidPublicKey: 'public', vapidPrivateKey: 'private', subject: 'mailto:push@example.com' },
};
const blog: Instance = { id: '1c2f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', secretKey: 'second' };

type EditableInstanceRepository = InstanceRepository & EditableSettings<Instance>;

/** The contract of an InstanceRepository whose instances can be edited (`editing`), beside that of InstanceRepository. It begins empty. */
export const describeEditableInstanceRepository = contract<EditableInstanceRepository>('EditableInstanceRepository', [
  {
    promise: 'answers every instance as it was saved, ordered by id, with ids in lower case',
    async test(instances) {
      await instances.save({ ...blog, id: blog.id.toUpperCase() });
      await instances.save(shop);
      same(
        (await instances.all()).map(({ settings }) => settings),
        [shop, blog],
      );
      same((await instances.read(blog.id.toUpperCase()))?.settings, blog);
      assert.equal(await instances.read(crypto.randomUUID()), undefined);
    },
  },
  {
    promise: 'finds saved instances and no removed ones, whatever the case of the id',
    async test(instances) {
      await instances.save(shop);
      same(await instances.find(shop.id), shop);
      await instances.save({ ...shop, secretKey: 'new' });
      matches(await instances.find(shop.id), { secretKey: 'new' });
      await instances.remove(shop.id.toUpperCase());
      assert.equal(await instances.find(shop.id), undefined);
    },
  },
  {
    promise: 'saves and removes only the instance of the given version',
    async test(instances) {
      await instances.save(shop, 0);
      const version = await versionOf(instances);
      await instances.save({ ...shop, secretKey: 'second' }, version);
      assert.ok((await versionOf(instances)) > version);
      await assert.rejects(instances.save({ ...shop, secretKey: 'third' }, version), SettingsConflict);
      await assert.rejects(instances.remove(shop.id, version), SettingsConflict);
      await assert.rejects(instances.save(shop, 0), SettingsConflict);
      matches(await instances.find(shop.id), { secretKey: 'second' });
      await instances.remove(shop.id, await versionOf(instances));
      await assert.rejects(instances.save(shop, version), SettingsConflict);
      same(await instances.all(), []);
    },
  },
  {
    promise: 'lets only one of several changes of the same version succeed',
    async test(instances) {
      await instances.save(shop);
      const version = await versionOf(instances);
      const changes = [1, 2, 3, 4, 5].map((n) => instances.save({ ...shop, publishesPerSecond: n }, version));
      const results = await Promise.allSettled(changes);
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
      const winner = results.findIndex(({ status }) => status === 'fulfilled') + 1;
      matches(await instances.find(shop.id), { publishesPerSecond: winner });
    },
  },
  {
    promise: 'ignores the removal of an unknown id',
    async test(instances) {
      await instances.remove(shop.id);
      same(await instances.all(), []);
    },
  },
]);

async function versionOf(instances: EditableInstanceRepository): Promise<number> {
  return (await instances.read(shop.id))?.version ?? 0;
}
