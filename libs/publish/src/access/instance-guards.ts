import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requestIn } from '#http';
import { deviceRefusals, InstanceGuard, isInstanceId } from 'rookery/internal/push-device';
import { instanceNotFound, invalidInstanceId, unknownInstance } from '../publish.errors.js';

/** Finds the instance in the path of the publish and customer APIs; otherwise 404 (beams-wire §3.1). */
@Injectable()
export class PublishInstanceGuard extends InstanceGuard {
  protected override readonly refusals = {
    invalid: instanceNotFound,
    unknown: instanceNotFound,
    disabled: deviceRefusals.instanceDisabled,
  };
}

/** Refuses an invalid instance id, with the reporting API's message. */
@Injectable()
export class InstanceIdGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { params } = requestIn(context) as unknown as { readonly params: Readonly<Record<string, string>> };
    if (!isInstanceId(params['instanceId'])) throw invalidInstanceId();
    return true;
  }
}

/** Finds the instance of a report; otherwise 400, because a 404 makes an iOS device report forever (beams-wire §6). */
@Injectable()
export class ReportedInstanceGuard extends InstanceGuard {
  protected override readonly refusals = {
    invalid: invalidInstanceId,
    unknown: unknownInstance,
    disabled: unknownInstance,
  };
}
