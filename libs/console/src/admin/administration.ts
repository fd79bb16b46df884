import type { ExecutionContext, FactoryProvider } from '@nestjs/common';
import { AppsAdmin } from 'rookery/channels';
import { type AdminAction, type JsonObject } from 'rookery/common';
import { InstancesAdmin } from 'rookery/push-device';
import { requestOf } from '../access/console-request.js';
import { badRequest, notFound } from '../console.errors.js';

/** Gives access to the administration of apps and instances, from the modules imported beside the console. */
export class Administration {
  static readonly provider: FactoryProvider<Administration> = {
    provide: Administration,
    inject: [
      { token: AppsAdmin, optional: true },
      { token: InstancesAdmin, optional: true },
    ],
    useFactory: (apps?: AppsAdmin, instances?: InstancesAdmin) => new Administration(apps, instances),
  };

  private constructor(
    private readonly ofApps: AppsAdmin | undefined,
    private readonly ofInstances: InstancesAdmin | undefined,
  ) {}

  /** @throws ConsoleError 404 without ChannelsModule */
  get apps(): AppsAdmin {
    if (!this.ofApps) throw notFound('The path');
    return this.ofApps;
  }

  /** @throws ConsoleError 404 without PushDeviceModule */
  get instances(): InstancesAdmin {
    if (!this.ofInstances) throw notFound('The path');
    return this.ofInstances;
  }
}

/** The actor for the log; with a shared password, only the address is known. */
export const byOf = (context: ExecutionContext): AdminAction => ({
  by: `the console, from ${requestOf(context).ip ?? 'here'}`,
});

/** A change and, if given, the version it is based on. @throws ConsoleError 400 */
export function changeOf({ version, ...changes }: JsonObject): {
  readonly changes: JsonObject;
  readonly version?: number;
} {
  if (version === undefined) return { changes };
  if (typeof version !== 'number') throw badRequest('version must be the number from an earlier answer.');
  return { changes, version };
}
