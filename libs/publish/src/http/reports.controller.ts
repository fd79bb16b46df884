import { HttpCode, Post, UseGuards } from '@nestjs/common';
import { bodySchemaOf, storable } from '#common';
import {
  clientAddress,
  describing,
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
  deviceRefusals,
  type Instance,
  rateGuard,
} from 'rookery/internal/push-device';
import { ReportsService } from '../reports/reports.service.js';
import { InstanceIdGuard, ReportedInstanceGuard } from '../access/instance-guards.js';
import { Report } from '../reports/report.js';
import { empty, Open } from '../access/with-key.js';
import { invalidInstanceId, missingField, unknownInstance } from '../publish.errors.js';
import { publishStatusExample } from './described-answers.js';

/** No device id is longer. */
const longestId = 100;

/** Limits the rate of reports, because they are unauthenticated. Runs after the check of the body. */
const ReportRateGuard = rateGuard((rates, context) => {
  const request = requestIn(context);
  // ValidBodyGuard has already validated the report.
  const { deviceId } = jsonBodyOf(request) as unknown as Report;
  const id = storable(deviceId.slice(0, longestId));
  return rates.reports(currentInstance(context).id, id, clientAddress(request));
}, deviceRefusals.tooManyReports);

/** The reporting API (beams-wire §6): 200, 400 or 429, never 404, which makes an iOS device report forever. */
@RookeryController('reporting_api/v2/instances/:instanceId')
@UseGuards(JsonContentTypeGuard, InstanceIdGuard, ValidBodyGuard, ReportedInstanceGuard, ReportRateGuard)
export class ReportsController {
  constructor(private readonly reports: ReportsService) {}

  @Post('events')
  @HttpCode(200)
  @Open('Report that a notification arrived, or was opened', () => ({
    requestBody: describing.body(bodySchemaOf(Report), {
      event: 'delivery',
      publishId: publishStatusExample.publishId,
      deviceId: 'fcm-4f4a0d8c-6f5e-4c2e-8a57-1d2f6d7a9b10',
      timestampSecs: 1_795_251_600,
    }),
    answers: empty,
    refuses: [
      deviceRefusals.missingInstanceId(),
      invalidInstanceId(),
      unknownInstance(),
      missingField('event'),
      deviceRefusals.tooManyReports(1),
    ],
  }))
  report(@CurrentInstance() instance: Instance, @RequestBody(Report) report: Report): Promise<void> {
    return this.reports.take(instance, report);
  }
}
