import { Inject, Injectable } from '@nestjs/common';
import { PushDeviceSettings } from '../push-device.options.js';
import { InstanceRepository } from './instance.repository.js';
import { configuredInstances } from './layered-instance.repository.js';

/** The instance of callers that name none. */
@Injectable()
export class DefaultInstance {
  constructor(
    private readonly instances: InstanceRepository,
    @Inject(PushDeviceSettings) private readonly settings: Pick<PushDeviceSettings, 'defaultInstance'>,
  ) {}

  /** `undefined` where callers must name one. */
  get id(): string | undefined {
    return this.settings.defaultInstance ?? configuredInstances(this.instances)?.only?.id;
  }
}
