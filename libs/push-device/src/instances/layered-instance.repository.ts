import type { Awaitable, Found } from '#common';
import { ConfiguredInstanceRepository } from './configured-instance.repository.js';
import type { Instance } from '../instance.js';
import { InstanceRepository } from './instance.repository.js';

/** Combines the instances of the module's options with others. For an id in both, the options win. */
export class LayeredInstanceRepository extends InstanceRepository {
  constructor(
    readonly configured: ConfiguredInstanceRepository,
    readonly stored: InstanceRepository,
  ) {
    super();
  }

  find(id: string): Awaitable<Found<Instance>> {
    return this.configured.find(id) ?? this.stored.find(id);
  }
}

/** The configured instances of a repository; `undefined` if it does not support them. */
export function configuredInstances(repository: InstanceRepository): ConfiguredInstanceRepository | undefined {
  if (repository instanceof LayeredInstanceRepository) return repository.configured;
  return repository instanceof ConfiguredInstanceRepository ? repository : undefined;
}
