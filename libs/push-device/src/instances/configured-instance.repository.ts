import { Inject, Injectable } from '@nestjs/common';
import { PushDeviceSettings } from '../push-device.options.js';
import type { Instance } from './instance.js';
import { InstanceRepository } from './instance.repository.js';

/** The instances that stand in the module's options. */
@Injectable()
export class ConfiguredInstanceRepository extends InstanceRepository {
  private readonly byId = new Map<string, Instance>();

  constructor(@Inject(PushDeviceSettings) { instances }: Pick<PushDeviceSettings, 'instances'>) {
    super();
    if (!instances)
      throw new Error(
        'PushDeviceModule: no instances: pass instances: [{ id, secretKey }] or instanceRepository: YourInstanceRepository to forRoot',
      );
    for (const instance of instances) this.add({ ...instance, id: instance.id.toLowerCase() });
  }

  get count(): number {
    return this.byId.size;
  }

  /** The one instance that there is; undefined when there are several, or none. */
  get only(): Instance | undefined {
    const [instance] = this.byId.values();
    return this.count === 1 ? instance : undefined;
  }

  find(id: string): Instance | undefined {
    return this.byId.get(id.toLowerCase());
  }

  private add(instance: Instance): void {
    const shown = JSON.stringify(instance.id);
    if (this.byId.has(instance.id)) throw new Error(`PushDeviceModule: two instances have the id ${shown}`);
    this.byId.set(instance.id, instance);
  }
}
