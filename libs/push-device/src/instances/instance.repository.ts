import type { Awaitable, EditableSettings, Found } from '#common';
import type { Instance } from '../instance.js';

/**
 * Looks up instances. `find` answers the instance with an id, compared case-insensitively, or `undefined` or `null` if
 * there is none. The instance carries its id in lower case, regardless of its configuration, because devices are stored
 * under it. `find` is called for every request and may be called any number of times for the same id.
 */
export abstract class InstanceRepository {
  abstract find(id: string): Awaitable<Found<Instance>>;

  /**
   * Edits instances while they are served; absent where they cannot be edited. This process sees a change once the call
   * settles, other processes within a second. Ids are compared case-insensitively. It does not check an instance's
   * settings.
   *
   * - `all` answers every instance, in the order of their ids; `read` one, as it is currently stored.
   * - `save` adds an instance, or replaces the one of its id; `remove` does nothing for an unknown id. Devices stay.
   * - With `version`, only the instance of that version is replaced or removed; 0: the instance is only added if it is
   *   new. Of several concurrent calls with the same version one succeeds.
   * - They throw SettingsConflict, and change nothing, when the version differs.
   */
  readonly editing?: EditableSettings<Instance>;
}
