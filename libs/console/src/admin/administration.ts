import type { ExecutionContext, FactoryProvider } from '@nestjs/common';
import { AppsAdmin } from 'rookery/channels';
import { type Deed, ifLent, type JsonObject } from 'rookery/common';
import { InstancesAdmin } from 'rookery/push-device';
import { requestOf } from '../access/console-request.js';
import { badRequest, notFound } from '../console.errors.js';

/** Who administers apps and instances: those of the modules that stand beside the console. */
export class Administration {
  static readonly provider: FactoryProvider<Administration> = {
    provide: Administration,
    inject: [ifLent(AppsAdmin), ifLent(InstancesAdmin)],
    useFactory: (apps?: AppsAdmin, instances?: InstancesAdmin) => new Administration(apps, instances),
  };

  private constructor(
    private readonly ofApps: AppsAdmin | undefined,
    private readonly ofInstances: InstancesAdmin | undefined,
  ) {}

  /** @throws ConsoleError 404 where there is no ChannelsModule */
  get apps(): AppsAdmin {
    if (!this.ofApps) throw notFound('The path');
    return this.ofApps;
  }

  /** @throws ConsoleError 404 where there is no PushDeviceModule */
  get instances(): InstancesAdmin {
    if (!this.ofInstances) throw notFound('The path');
    return this.ofInstances;
  }
}

/** Who it is, as far as a password tells: where from. */
export const byOf = (context: ExecutionContext): Deed => ({
  by: `the console, from ${requestOf(context).ip ?? 'here'}`,
});

/** A change, and the version that it was made on, where it says so. @throws ConsoleError 400 */
export function changeOf({ version, ...changes }: JsonObject): {
  readonly changes: JsonObject;
  readonly version?: number;
} {
  if (version === undefined) return { changes };
  if (typeof version !== 'number') throw badRequest('version must be the number that was answered.');
  return { changes, version };
}
