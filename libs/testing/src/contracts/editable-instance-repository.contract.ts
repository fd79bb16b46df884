import { SettingsConflict } from 'rookery/common';
import type { EditableInstanceRepository, Instance } from 'rookery/push-device';
import { contract } from './contract.js';
import { expect } from './expect.js';

const shop: Instance = {
  id: '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60',
  secretKey: 'first ünïcödé',
  web: { vapidPublicKey: 'public', vapidPrivateKey: 'private', subject: 'mailto:push@example.com' },
};
const blog: Instance = { id: '1c2f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60', secretKey: 'second' };

/** The contract of every EditableInstanceRepository, in addition to InstanceRepository's. It begins empty. */
export const describeEditableInstanceRepository = contract<EditableInstanceRepository>('EditableInstanceRepository', [
  {
    promise: 'answers every instance as it was saved, ordered by id, with ids in lower case',
    async test(instances) {
      await instances.save({ ...blog, id: blog.id.toUpperCase() });
      await instances.save(shop);
      expect((await instances.all()).map(({ settings }) => settings)).toEqual([shop, blog]);
      expect((await instances.read(blog.id.toUpperCase()))?.settings).toEqual(blog);
      expect(await instances.read(crypto.randomUUID())).toBeUndefined();
    },
  },
  {
    promise: 'finds saved instances and no removed ones, whatever the case of the id',
    async test(instances) {
      await instances.save(shop);
      expect(await instances.find(shop.id)).toEqual(shop);
      await instances.save({ ...shop, secretKey: 'new' });
      expect(await instances.find(shop.id)).toMatchObject({ secretKey: 'new' });
      await instances.remove(shop.id.toUpperCase());
      expect(await instances.find(shop.id)).toBeUndefined();
    },
  },
  {
    promise: 'saves and removes only the instance of the given version',
    async test(instances) {
      await instances.save(shop, 0);
      const version = await versionOf(instances);
      await instances.save({ ...shop, secretKey: 'second' }, version);
      expect(await versionOf(instances)).toBeGreaterThan(version);
      await expect(instances.save({ ...shop, secretKey: 'third' }, version)).rejects.toBeInstanceOf(SettingsConflict);
      await expect(instances.remove(shop.id, version)).rejects.toBeInstanceOf(SettingsConflict);
      await expect(instances.save(shop, 0)).rejects.toBeInstanceOf(SettingsConflict);
      expect(await instances.find(shop.id)).toMatchObject({ secretKey: 'second' });
      await instances.remove(shop.id, await versionOf(instances));
      await expect(instances.save(shop, version)).rejects.toBeInstanceOf(SettingsConflict);
      expect(await instances.all()).toEqual([]);
    },
  },
  {
    promise: 'lets only one of several changes of the same version succeed',
    async test(instances) {
      await instances.save(shop);
      const version = await versionOf(instances);
      const changes = [1, 2, 3, 4, 5].map((n) => instances.save({ ...shop, publishesPerSecond: n }, version));
      const results = await Promise.allSettled(changes);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const winner = results.findIndex(({ status }) => status === 'fulfilled') + 1;
      expect(await instances.find(shop.id)).toMatchObject({ publishesPerSecond: winner });
    },
  },
  {
    promise: 'ignores the removal of an unknown id',
    async test(instances) {
      await instances.remove(shop.id);
      expect(await instances.all()).toEqual([]);
    },
  },
]);

async function versionOf(instances: EditableInstanceRepository): Promise<number> {
  return (await instances.read(shop.id))?.version ?? 0;
}
