import type { Kept } from 'rookery/common';
import type { Instance } from './instance.js';
import { InstanceRepository } from './instance.repository.js';

/**
 * Instances that are changed while they are served. What was changed, this process finds when the call settles, and
 * every other one within a second. Ids are compared case-insensitively. It does not check an instance's settings.
 *
 * - `all` answers every instance, in the order of their ids; `read` one, as it is kept right now.
 * - `save` adds an instance, or replaces the one of its id; `remove` does nothing where there is none. Devices stay.
 * - With `version`, only the instance of that version is replaced or removed; 0: only one that is not there is added. Of
 *   several calls at once with the same version one succeeds.
 * - They throw SettingsConflict, and change nothing, when the version is another.
 */
export abstract class EditableInstanceRepository extends InstanceRepository {
  abstract all(): Promise<readonly Kept<Instance>[]>;
  abstract read(id: string): Promise<Kept<Instance> | undefined>;
  abstract save(instance: Instance, version?: number): Promise<void>;
  abstract remove(id: string, version?: number): Promise<void>;
}
