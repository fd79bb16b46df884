import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { refusals } from '../push-device.errors.js';
import type { Instance } from '../instance.js';
import { isInstanceId } from '../instance-id.js';
import { InstanceRepository } from './instance.repository.js';

const instance = Symbol('rookery.instance');

interface RequestOfInstance {
  readonly params: Readonly<Record<string, string>>;
  [instance]?: Instance;
}

const requestIn = (context: ExecutionContext) => context.switchToHttp().getRequest<RequestOfInstance>();

/**
 * Finds the instance that `:instanceId` names in the route's path: 400 for an invalid id, 404 for an unknown one, 403
 * if it is disabled. The method gets it as `@CurrentInstance()`.
 */
@Injectable()
export class InstanceGuard implements CanActivate {
  /** The answers to an invalid id, to an unknown one, and to that of a disabled instance. */
  protected readonly refusals = {
    invalid: refusals.invalidInstanceId,
    unknown: refusals.instanceNotFound,
    disabled: refusals.instanceDisabled,
  };

  constructor(private readonly instances: InstanceRepository) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestIn(context);
    const id = request.params['instanceId'];
    if (id === undefined) throw new Error('InstanceGuard needs :instanceId in the path of its route');
    if (!isInstanceId(id)) throw this.refusals.invalid().in(context);
    const found = await this.instances.find(id);
    if (!found) throw this.refusals.unknown().in(context);
    if (found.enabled === false) throw this.refusals.disabled().in(context);
    request[instance] = found;
    return true;
  }

  /** The instance found by an earlier guard, or the one in the path. */
  async instanceOf(context: ExecutionContext): Promise<Instance> {
    if (!requestIn(context)[instance]) await this.canActivate(context);
    return currentInstance(context);
  }
}

/** The instance that {@link InstanceGuard} found for the request. */
export function currentInstance(context: ExecutionContext): Instance {
  const found = requestIn(context)[instance];
  if (!found) throw new Error('@CurrentInstance() needs @UseGuards(InstanceGuard) on its route');
  return found;
}

/** The instance that {@link InstanceGuard} found, as a parameter of a controller's method. */
export const CurrentInstance = createParamDecorator((_: unknown, context: ExecutionContext) =>
  currentInstance(context),
);
