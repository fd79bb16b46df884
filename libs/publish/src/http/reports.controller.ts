import { HttpCode, Param, Post, Req, UseGuards } from '@nestjs/common';
import { JsonContentTypeGuard, type PlatformRequest, RookeryController } from 'rookery/common';
import { InstanceRepository, isInstanceId } from 'rookery/push-device';
import { ReportsService } from '../reports/reports.service.js';
import { invalidInstanceId, unknownInstance } from './errors.js';
import { jsonObjectOf } from './json-object.js';
import { parseReport } from './parse-report.js';

/** The reporting API (beams-wire §6): 200 or 400, never 404, which would make an iOS device report for ever. */
@RookeryController('reporting_api/v2/instances/:instanceId')
@UseGuards(JsonContentTypeGuard)
export class ReportsController {
  constructor(
    private readonly instances: InstanceRepository,
    private readonly reports: ReportsService,
  ) {}

  @Post('events')
  @HttpCode(200)
  async report(@Param('instanceId') instanceId: string, @Req() request: PlatformRequest): Promise<void> {
    if (!isInstanceId(instanceId)) throw invalidInstanceId();
    const report = parseReport(jsonObjectOf(request, 10));
    const instance = await this.instances.find(instanceId);
    if (!instance) throw unknownInstance();
    await this.reports.take(instance, report);
  }
}
