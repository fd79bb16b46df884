import { Injectable, NotFoundException } from '@nestjs/common';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  type AdminAction,
  type EditableSettings,
  endOfOld,
  type JsonObject,
  type Rotation,
  SettingsAdmin,
  SettingsConflict,
} from '#common';
import { Instance } from '../instance.js';
import { InstanceRepository } from './instance.repository.js';
import { configuredInstances, LayeredInstanceRepository } from './layered-instance.repository.js';
import { keyName, validFurtherKeys } from './secret-keys.js';

/**
 * Administers push instances while they are served: creates, changes, disables and removes them, and replaces their
 * keys.
 */
@Injectable()
export class InstancesAdmin extends SettingsAdmin<Instance> {
  protected readonly what = 'instance';
  protected readonly rules = Instance;
  protected readonly credentials = ['secretKey', 'furtherSecretKeys', 'secretKeysValidUntil'];

  constructor(private readonly instances: InstanceRepository) {
    super();
  }

  /**
   * Creates another secret key, which signs from now on. The previous one stays valid until it is removed, or for the
   * chosen time. Keys that have expired are removed.
   */
  async rotate(id: string, { oldValidForSeconds, ...action }: Rotation = {}): Promise<{ readonly secretKey: string }> {
    const fresh = newKey();
    const end = endOfOld(oldValidForSeconds, Date.now());
    await this.change(id, `has the new key ${keyName(fresh)}`, action, (before) => {
      const { secretKey, secretKeysValidUntil = {}, ...rest } = before;
      const until = { ...secretKeysValidUntil, ...(end !== undefined && { [keyName(secretKey)]: end }) };
      const old = [secretKey, ...(before.furtherSecretKeys ?? [])];
      const keys = validFurtherKeys({ ...before, furtherSecretKeys: old, secretKeysValidUntil: until });
      return { ...rest, secretKey: fresh, furtherSecretKeys: keys, ...withTimes(until, keys) };
    });
    return { secretKey: fresh };
  }

  /** Removes an additional secret key. @param removed its {@link keyName} */
  async removeKey(id: string, removed: string, action: AdminAction = {}): Promise<void> {
    await this.change(id, `lost the key ${removed}`, action, ({ furtherSecretKeys = [], ...rest }) => {
      if (keyName(rest.secretKey) === removed)
        throw new SettingsConflict('This is the main key of the instance: rotate it first');
      const left = furtherSecretKeys.filter((key) => keyName(key) !== removed);
      if (left.length === furtherSecretKeys.length) throw new NotFoundException('The instance has no such key');
      const { secretKeysValidUntil = {}, ...others } = rest;
      return { ...others, furtherSecretKeys: left, ...withTimes(secretKeysValidUntil, left) };
    });
  }

  protected get configured(): Iterable<Instance> {
    return configuredInstances(this.instances)?.all ?? [];
  }

  protected get stored(): EditableSettings<Instance> | undefined {
    const stored = this.instances instanceof LayeredInstanceRepository ? this.instances.stored : this.instances;
    return stored?.editing;
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

/** The times of these keys, if any. */
function withTimes(until: Readonly<Record<string, string>>, keys: readonly string[]): Partial<Instance> {
  const left = Object.entries(until).filter(([name]) => keys.some((key) => keyName(key) === name));
  return left.length === 0 ? {} : { secretKeysValidUntil: Object.fromEntries(left) };
}

const newKey = (): string => randomBytes(32).toString('hex').toUpperCase();
