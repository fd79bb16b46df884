import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { clientAddress, jsonBodyOf, requestIn, storable } from '#common';
import { currentInstance, deviceRefusals, DeviceRates } from 'rookery/push-device';
import type { Report } from '../reports/report.js';

/** Limits the rate of reports, because they are unauthenticated. Runs after the check of the body. */
@Injectable()
export class ReportRateGuard implements CanActivate {
  constructor(private readonly rates: DeviceRates) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestIn(context);
    // ValidBodyGuard has already validated the report.
    const { deviceId } = jsonBodyOf(request) as unknown as Report;
    const id = storable(deviceId.slice(0, longestId));
    const seconds = await this.rates.reports(currentInstance(context).id, id, clientAddress(request));
    if (seconds > 0) throw deviceRefusals.tooManyReports(seconds);
    return true;
  }
}

/** No device id is longer. */
const longestId = 100;
