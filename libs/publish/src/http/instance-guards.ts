import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requestIn } from 'rookery/common';
import { deviceRefusals, InstanceGuard, isInstanceId } from 'rookery/push-device';
import { instanceNotFound, invalidInstanceId, unknownInstance } from './errors.js';

/** Finds the instance that the path of the publish and customer APIs names: 404 for any other text (beams-wire §3.1). */
@Injectable()
export class PublishInstanceGuard extends InstanceGuard {
  protected override readonly refusals = {
    invalid: instanceNotFound,
    unknown: instanceNotFound,
    disabled: deviceRefusals.instanceDisabled,
  };
}

/** Refuses an instance id that is none, in the words of the reporting API. */
@Injectable()
export class InstanceIdGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { params } = requestIn(context) as unknown as { readonly params: Readonly<Record<string, string>> };
    if (!isInstanceId(params['instanceId'])) throw invalidInstanceId();
    return true;
  }
}

/** Finds the instance of a report: 400 when there is none, since a 404 would make an iOS device report for ever (beams-wire §6). */
@Injectable()
export class ReportedInstanceGuard extends InstanceGuard {
  protected override readonly refusals = {
    invalid: invalidInstanceId,
    unknown: unknownInstance,
    disabled: unknownInstance,
  };
}
