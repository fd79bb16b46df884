import { Injectable, Optional } from '@nestjs/common';
import { type AppConfig, Apps } from 'rookery/channels';
import { configuredInstances, type Instance, InstanceRepository } from 'rookery/internal/push-device';
import { workerServices } from '../workers/link-services.js';
import { RpcLink } from '../workers/rpc-link.js';

/** The part of the configuration that applies while the server runs. */
export interface Served {
  readonly apps: readonly AppConfig[];
  readonly instances: readonly Instance[];
}

/** The configured apps and instances that this process serves. */
@Injectable()
export class ConfiguredSettings {
  constructor(
    private readonly instances: InstanceRepository,
    @Optional() private readonly apps?: Apps,
    @Optional() primary?: RpcLink,
  ) {
    primary?.serve(workerServices.configuration, this);
  }

  /** Serves these checked settings from now on. In a worker, the process that started it calls this. */
  replace({ apps, instances }: Served): void {
    this.apps?.configured?.replace(apps);
    configuredInstances(this.instances)?.replace(instances);
  }
}
