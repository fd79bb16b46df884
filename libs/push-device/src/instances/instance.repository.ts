import type { Awaitable, Found } from '#common';
import type { Instance } from '../instance.js';

/**
 * Looks up instances. `find` answers the instance with an id, compared case-insensitively, or `undefined` or `null` if
 * there is none. The instance carries its id in lower case, regardless of its configuration, because devices are stored
 * under it. `find` is called for every request and may be called any number of times for the same id.
 */
export abstract class InstanceRepository {
  abstract find(id: string): Awaitable<Found<Instance>>;
}
