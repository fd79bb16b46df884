import { Inject, Injectable } from '@nestjs/common';
import { pushDeviceOptions, type PushDeviceOptions } from '../push-device.options.js';
import type { Instance } from './instance.js';
import { isInstanceId } from './instance-id.js';
import { InstanceRepository } from './instance.repository.js';

/** The instances that stand in the module's options. */
@Injectable()
export class ConfiguredInstanceRepository extends InstanceRepository {
  private readonly byId = new Map<string, Instance>();

  constructor(@Inject(pushDeviceOptions) { instances }: PushDeviceOptions) {
    super();
    if (!instances)
      throw new Error(
        'PushDeviceModule: no instances: pass instances: [{ id, secretKey }] or instanceRepository: YourInstanceRepository to forRoot',
      );
    for (const instance of instances) this.add(instance);
  }

  get count(): number {
    return this.byId.size;
  }

  find(id: string): Instance | undefined {
    return this.byId.get(id.toLowerCase());
  }

  private add(instance: Instance): void {
    const { id, secretKey } = instance;
    const shown = JSON.stringify(id);
    if (!isInstanceId(id)) throw new Error(`PushDeviceModule: instances[].id must be a UUID, got ${shown}`);
    if (typeof secretKey !== 'string' || secretKey === '')
      throw new Error(`PushDeviceModule: instances[].secretKey of ${id} must be a text that is not empty`);
    if (this.find(id)) throw new Error(`PushDeviceModule: two instances have the id ${shown}`);
    this.byId.set(id.toLowerCase(), { ...instance, id: id.toLowerCase() });
  }
}
