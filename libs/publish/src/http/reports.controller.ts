import { HttpCode, Post, UseGuards } from '@nestjs/common';
import { JsonContentTypeGuard, RequestBody, RookeryController, ValidBodyGuard } from '#common';
import { CurrentInstance, type Instance } from 'rookery/push-device';
import { ReportsService } from '../reports/reports.service.js';
import { InstanceIdGuard, ReportedInstanceGuard } from './instance-guards.js';
import { Report } from '../reports/report.js';
import { ReportRateGuard } from './report-rate.guard.js';

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
