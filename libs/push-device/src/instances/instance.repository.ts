import type { Awaitable, Found } from 'rookery/common';
import type { Instance } from './instance.js';

/**
 * Where instances come from. `find` answers the instance of an id, compared case-insensitively, or nothing (`undefined` or
 * `null`) when there is none. The instance carries its id in lower case, however it was configured: devices are kept under it. `find`
 * is called for every request and may be called any number of times for the same id.
 */
export abstract class InstanceRepository {
  abstract find(id: string): Awaitable<Found<Instance>>;
}
