import type { Awaitable, Found } from 'rookery/common';
import { ConfiguredInstanceRepository } from './configured-instance.repository.js';
import type { Instance } from './instance.js';
import { InstanceRepository } from './instance.repository.js';

/** The instances of the module's options, and others beside them. Where both have an id, the options win. */
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

/** The instances of a repository that stand in the module's options; `undefined` where none can. */
export function configuredInstances(repository: InstanceRepository): ConfiguredInstanceRepository | undefined {
  if (repository instanceof LayeredInstanceRepository) return repository.configured;
  return repository instanceof ConfiguredInstanceRepository ? repository : undefined;
}
