import { Injectable, Optional } from '@nestjs/common';
import { type AppConfig, Apps } from 'rookery/channels';
import { configuredInstances, type Instance, InstanceRepository } from 'rookery/push-device';
import { RpcLink } from '../workers/rpc-link.js';

/** What of the configuration is taken up while the server runs. */
export interface Served {
  readonly apps: readonly AppConfig[];
  readonly instances: readonly Instance[];
}

/** The apps and instances of the configuration that this process serves. */
@Injectable()
export class ConfiguredSettings {
  constructor(
    private readonly instances: InstanceRepository,
    @Optional() private readonly apps?: Apps,
    @Optional() primary?: RpcLink,
  ) {
    primary?.serve('configuration', this);
  }

  /** Serves these from now on; they have been checked. A worker is called by the process that started it. */
  replace({ apps, instances }: Served): void {
    this.apps?.configured?.replace(apps);
    configuredInstances(this.instances)?.replace(instances);
  }
}
