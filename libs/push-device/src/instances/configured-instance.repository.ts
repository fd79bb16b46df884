import { Inject, Injectable } from '@nestjs/common';
import { PushDeviceSettings } from '../push-device.options.js';
import type { Instance } from '../instance.js';
import { InstanceRepository } from './instance.repository.js';

/** The instances in the module's options. */
@Injectable()
export class ConfiguredInstanceRepository extends InstanceRepository {
  private byId: ReadonlyMap<string, Instance>;

  constructor(@Inject(PushDeviceSettings) { instances }: Pick<PushDeviceSettings, 'instances'>) {
    super();
    if (!instances)
      throw new Error(
        'PushDeviceModule: no instances: pass instances: [{ id, secretKey }] or instanceRepository: YourInstanceRepository to forRoot',
      );
    this.byId = instancesById(instances);
  }

  get count(): number {
    return this.byId.size;
  }

  get all(): Iterable<Instance> {
    return this.byId.values();
  }

  /** The only instance; undefined when there are several, or none. */
  get only(): Instance | undefined {
    const [instance] = this.byId.values();
    return this.count === 1 ? instance : undefined;
  }

  find(id: string): Instance | undefined {
    return this.byId.get(id.toLowerCase());
  }

  /** Serves these instances from now on. @throws Error when two have the same id; the current ones then stay */
  replace(instances: readonly Instance[]): void {
    this.byId = instancesById(instances);
  }
}

function instancesById(instances: readonly Instance[]): ReadonlyMap<string, Instance> {
  const found = new Map<string, Instance>();
  for (const given of instances) {
    const instance = { ...given, id: given.id.toLowerCase() };
    const shown = JSON.stringify(instance.id);
    if (found.has(instance.id)) throw new Error(`PushDeviceModule: two instances have the id ${shown}`);
    found.set(instance.id, instance);
  }
  return found;
}
