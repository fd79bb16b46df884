import type { Kept } from '#common';
import type { Instance } from '../instance.js';
import { InstanceRepository } from './instance.repository.js';

/**
 * Instances that are edited while they are served. This process sees a change once the call settles, other processes
 * within a second. Ids are compared case-insensitively. It does not check an instance's settings.
 *
 * - `all` answers every instance, in the order of their ids; `read` one, as it is currently stored.
 * - `save` adds an instance, or replaces the one of its id; `remove` does nothing for an unknown id. Devices stay.
 * - With `version`, only the instance of that version is replaced or removed; 0: the instance is only added if it is
 *   new. Of several concurrent calls with the same version one succeeds.
 * - They throw SettingsConflict, and change nothing, when the version differs.
 */
export abstract class EditableInstanceRepository extends InstanceRepository {
  abstract all(): Promise<readonly Kept<Instance>[]>;
  abstract read(id: string): Promise<Kept<Instance> | undefined>;
  abstract save(instance: Instance, version?: number): Promise<void>;
  abstract remove(id: string, version?: number): Promise<void>;
}
