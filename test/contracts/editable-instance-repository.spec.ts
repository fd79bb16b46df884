import { expect, it } from 'vitest';
import { type Instance, InstanceRepository, type Versioned, SettingsConflict } from 'rookery/push-device';
import { TypeOrmInstanceRepository } from 'rookery/typeorm';
import { describeEditableInstanceRepository } from '@rookery/testing';
import { describeDatabases } from '../support/databases.js';
import { brokenPromises } from './broken-promises.js';
import { describeNode } from '../support/services.js';

describeDatabases('TypeOrmInstanceRepository', ({ database }) => {
  describeEditableInstanceRepository(async () => {
    await database().execute('DELETE FROM rookery_instances');
    return new TypeOrmInstanceRepository(database());
  });
});

/** Right in everything; each of those below breaks one promise. */
class Doubled extends InstanceRepository {
  override readonly editing = this;
  protected readonly kept = new Map<string, Versioned<Instance>>();
  protected version = 0;

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
  protected check(id: string, version: number | undefined): void {
    if (version !== undefined && (this.kept.get(id)?.version ?? 0) !== version) throw new SettingsConflict('changed');
  }
}
class KeepsTheCase extends Doubled {
  override async save(instance: Instance, version?: number): Promise<void> {
    await super.save(instance, version);
    this.kept.set(instance.id.toLowerCase(), { settings: instance, version: this.version });
  }
}
class IsCaseSensitive extends Doubled {
  override async remove(id: string, version?: number): Promise<void> {
    this.check(id, version);
    this.kept.delete(id);
  }
}
class IgnoresTheVersion extends Doubled {
  protected override check(): void {}
}
class ChecksBeforeTheLock extends Doubled {
  override async save(instance: Instance, version?: number): Promise<void> {
    this.check(instance.id, version);
    await Promise.resolve();
    await super.save(instance);
  }
}
class RefusesUnknownIds extends Doubled {
  override async remove(id: string): Promise<void> {
    if (!this.kept.delete(id)) throw new Error('there is none');
  }
}

describeNode('the contract of an InstanceRepository that can be edited', () => {
  it('is kept by a correct implementation', async () => {
    expect(await brokenPromises(describeEditableInstanceRepository, () => new Doubled())).toEqual([]);
  });

  it.each([
    [KeepsTheCase, 'answers every instance as it was saved, ordered by id, with ids in lower case'],
    [IsCaseSensitive, 'finds saved instances and no removed ones, whatever the case of the id'],
    [IgnoresTheVersion, 'saves and removes only the instance of the given version'],
    [ChecksBeforeTheLock, 'lets only one of several changes of the same version succeed'],
    [RefusesUnknownIds, 'ignores the removal of an unknown id'],
  ])('rejects %o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describeEditableInstanceRepository, () => new Broken(), promise)).toEqual([promise]);
  });
});
