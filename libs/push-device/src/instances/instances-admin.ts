import { Injectable, NotFoundException } from '@nestjs/common';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  type AdminAction,
  type EditableSettings,
  type JsonObject,
  SettingsAdmin,
  SettingsConflict,
} from 'rookery/common';
import { EditableInstanceRepository } from './editable-instance.repository.js';
import { Instance } from '../instance.js';
import { InstanceRepository } from './instance.repository.js';
import { configuredInstances, LayeredInstanceRepository } from './layered-instance.repository.js';
import { keyName } from './secret-keys.js';

/**
 * Administers push instances while they are served: creates, changes, disables and removes them, and replaces their
 * keys.
 */
@Injectable()
export class InstancesAdmin extends SettingsAdmin<Instance> {
  protected readonly what = 'instance';
  protected readonly rules = Instance;
  protected readonly credentials = ['secretKey', 'furtherSecretKeys'];

  constructor(private readonly instances: InstanceRepository) {
    super();
  }

  /** Creates another secret key, which signs from now on. The previous one stays valid until it is removed. */
  async rotate(id: string, action: AdminAction = {}): Promise<{ readonly secretKey: string }> {
    const fresh = newKey();
    await this.change(
      id,
      `has the new key ${keyName(fresh)}`,
      action,
      ({ secretKey, furtherSecretKeys = [], ...rest }) => ({
        ...rest,
        secretKey: fresh,
        furtherSecretKeys: [secretKey, ...furtherSecretKeys],
      }),
    );
    return { secretKey: fresh };
  }

  /** Removes an additional secret key. @param removed its {@link keyName} */
  async removeKey(id: string, removed: string, action: AdminAction = {}): Promise<void> {
    await this.change(id, `lost the key ${removed}`, action, ({ furtherSecretKeys = [], ...rest }) => {
      if (keyName(rest.secretKey) === removed)
        throw new SettingsConflict('This is the main key of the instance: rotate it first');
      const left = furtherSecretKeys.filter((key) => keyName(key) !== removed);
      if (left.length === furtherSecretKeys.length) throw new NotFoundException('The instance has no such key');
      return { ...rest, furtherSecretKeys: left };
    });
  }

  protected get configured(): Iterable<Instance> {
    return configuredInstances(this.instances)?.all ?? [];
  }

  protected get stored(): EditableSettings<Instance> | undefined {
    const stored = this.instances instanceof LayeredInstanceRepository ? this.instances.stored : this.instances;
    return stored instanceof EditableInstanceRepository ? stored : undefined;
  }

  protected complete(given: JsonObject): JsonObject {
    const all = { id: randomUUID(), secretKey: newKey(), ...given };
    return { ...all, ...(typeof all.id === 'string' && { id: all.id.toLowerCase() }) };
  }

  protected check(): void {}

  protected override isSame(one: string, other: string): boolean {
    return one.toLowerCase() === other.toLowerCase();
  }
}

const newKey = (): string => randomBytes(32).toString('hex').toUpperCase();
