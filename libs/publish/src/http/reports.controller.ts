import { type CanActivate, type ExecutionContext, HttpCode, Injectable, Post, UseGuards } from '@nestjs/common';
import { storable } from '#common';
import {
  clientAddress,
  jsonBodyOf,
  JsonContentTypeGuard,
  RequestBody,
  requestIn,
  RookeryController,
  ValidBodyGuard,
} from '#http';
import {
  CurrentInstance,
  currentInstance,
  DeviceRates,
  deviceRefusals,
  type Instance,
} from 'rookery/internal/push-device';
import { ReportsService } from '../reports/reports.service.js';
import { InstanceIdGuard, ReportedInstanceGuard } from '../access/instance-guards.js';
import { Report } from '../reports/report.js';

/** Limits the rate of reports, because they are unauthenticated. Runs after the check of the body. */
@Injectable()
class ReportRateGuard implements CanActivate {
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

/** The reporting API (beams-wire §6): 200, 400 or 429, never 404, which makes an iOS device report forever. */
@RookeryController('reporting_api/v2/instances/:instanceId')
@UseGuards(JsonContentTypeGuard, InstanceIdGuard, ValidBodyGuard, ReportedInstanceGuard, ReportRateGuard)
export class ReportsController {
  constructor(private readonly reports: ReportsService) {}

  @Post('events')
  @HttpCode(200)
  report(@CurrentInstance() instance: Instance, @RequestBody(Report) report: Report): Promise<void> {
    return this.reports.take(instance, report);
  }
}
