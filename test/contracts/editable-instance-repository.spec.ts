import { type Instance, InstanceRepository, type Versioned, SettingsConflict } from 'rookery/push-device';
import { TypeOrmInstanceRepository } from 'rookery/typeorm';
import { describeEditableInstanceRepository } from '@rookery/testing';
import { describeDatabases } from '../support/databases.js';
import { describeBrokenDoubles } from './broken-doubles.js';

describeDatabases('TypeOrmInstanceRepository', ({ database }) => {
  describeEditableInstanceRepository(async () => {
    await database().execute('DELETE FROM rookery_instances');
    return new TypeOrmInstanceRepository(database());
  });
});

class MemoryInstanceRepository extends InstanceRepository {
  override readonly editing = this;
  readonly kept = new Map<string, Versioned<Instance>>();
  version = 0;

  async all(): Promise<readonly Versioned<Instance>[]> {
    return [...this.kept.values()].toSorted((a, b) => (a.settings.id < b.settings.id ? -1 : 1));
  }
  async read(id: string): Promise<Versioned<Instance> | undefined> {
    return this.kept.get(id.toLowerCase());
  }
  async find(id: string): Promise<Instance | undefined> {
    return (await this.read(id))?.settings;
  }
  async save(instance: Instance, version?: number): Promise<void> {
    const id = instance.id.toLowerCase();
    this.check(id, version);
    this.kept.set(id, { settings: { ...instance, id }, version: ++this.version });
  }
  async remove(id: string, version?: number): Promise<void> {
    this.check(id.toLowerCase(), version);
    this.kept.delete(id.toLowerCase());
  }
  check(id: string, version: number | undefined): void {
    if (version !== undefined && (this.kept.get(id)?.version ?? 0) !== version) throw new SettingsConflict('changed');
  }
}

const inMemory = () => new MemoryInstanceRepository();

describeBrokenDoubles(
  'an InstanceRepository that can be edited',
  describeEditableInstanceRepository,
  inMemory,
  (right, double) => ({
    'answers every instance as it was saved, ordered by id, with ids in lower case': double('keeps the case', {
      async save(instance, version) {
        await right.save(instance, version);
        right.kept.set(instance.id.toLowerCase(), { settings: instance, version: right.version });
      },
    }),
    'finds saved instances and no removed ones, whatever the case of the id': double('is case sensitive', {
      async remove(id, version) {
        right.check(id, version);
        right.kept.delete(id);
      },
    }),
    'saves and removes only the instance of the given version': double('ignores the version', { check: () => {} }),
    'lets only one of several changes of the same version succeed': double('checks before the lock', {
      async save(instance, version) {
        right.check(instance.id, version);
        await Promise.resolve();
        await right.save(instance);
      },
    }),
    'ignores the removal of an unknown id': double('refuses unknown ids', {
      async remove(id) {
        if (!right.kept.delete(id)) throw new Error('there is none');
      },
    }),
  }),
);
