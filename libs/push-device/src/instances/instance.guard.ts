import { createParamDecorator, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { refusals } from '../push-device.errors.js';
import type { Instance } from './instance.js';
import { isInstanceId } from './instance-id.js';
import { InstanceRepository } from './instance.repository.js';

const instance = Symbol('rookery.instance');

interface RequestOfInstance {
  readonly params: Readonly<Record<string, string>>;
  [instance]?: Instance;
}

const requestIn = (context: ExecutionContext) => context.switchToHttp().getRequest<RequestOfInstance>();

/** Finds the instance that the path names: 400 when it cannot be one, 404 when there is none. */
@Injectable()
export class InstanceGuard implements CanActivate {
  constructor(private readonly instances: InstanceRepository) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestIn(context);
    const id = request.params['instanceId'];
    if (!isInstanceId(id)) throw refusals.invalidInstanceId();
    const found = await this.instances.find(id);
    if (!found) throw refusals.instanceNotFound();
    request[instance] = found;
    return true;
  }
}

/** The instance that {@link InstanceGuard} found for the request. */
export function currentInstance(context: ExecutionContext): Instance {
  const found = requestIn(context)[instance];
  if (!found) throw new Error('@CurrentInstance() needs InstanceGuard on its route');
  return found;
}

/** The instance that {@link InstanceGuard} found, as a parameter of a controller's method. */
export const CurrentInstance = createParamDecorator((_: unknown, context: ExecutionContext) =>
  currentInstance(context),
);
