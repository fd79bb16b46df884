import {
  createParamDecorator,
  type ExecutionContext,
  Get,
  HttpCode,
  Param,
  Query,
  Req,
  UseGuards,
} from '@nestjs/common';
import { describing, RookeryController } from '#http';
import { CurrentInstance, deviceRefusals, type Instance } from 'rookery/internal/push-device';
import { invalidInstanceId, invalidOpenLink, unknownInstance } from '../publish.errors.js';
import { isOpenLink } from '../delivery/web/open-link.js';
import { ReportsService } from '../reports/reports.service.js';
import { InstanceIdGuard, ReportedInstanceGuard } from '../access/instance-guards.js';
import { Open } from '../access/with-key.js';
import { publishId as publishInPath } from './described-answers.js';

const { inPath, may, text } = describing;

/** Express and Fastify name it alike. */
interface Answering {
  header(name: string, value: string): unknown;
}

/** Sets where a redirect leads. A function instead of the response, because Fastify's response can be awaited. */
type LeadOn = (to: string) => void;

const LeadOn = createParamDecorator((_data: unknown, context: ExecutionContext): LeadOn => {
  const http = context.switchToHttp();
  return (to) => {
    const answer = http.getResponse<Answering>();
    answer.header('Location', to);
    answer.header('Cache-Control', 'no-store');
  };
});

/** The links of notifications that browsers show themselves. The only permission is the signature of the link. */
@RookeryController('reporting_api/v2/instances/:instanceId/opens')
@UseGuards(InstanceIdGuard, ReportedInstanceGuard)
export class OpensController {
  constructor(private readonly reports: ReportsService) {}

  @Get(':publishId/:deviceId')
  @HttpCode(302)
  @Open('Count the opening of a notification that the browser showed itself, and lead on to its link', () => ({
    parameters: [
      publishInPath,
      inPath('deviceId', 'The id of the device', text, 'web-4f4a0d8c-6f5e-4c2e-8a57-1d2f6d7a9b10'),
      may('to', 'Where the link leads'),
      may('signature', 'Of the link, by the server'),
    ],
    answers: { description: 'Its link; the body is empty' },
    refuses: [deviceRefusals.missingInstanceId(), invalidInstanceId(), unknownInstance(), invalidOpenLink()],
  }))
  async open(
    @CurrentInstance() instance: Instance,
    @Param('publishId') publishId: string,
    @Param('deviceId') deviceId: string,
    @Query('to') to: unknown,
    @Query('signature') signature: unknown,
    @LeadOn() leadOn: LeadOn,
    @Req() { method }: { readonly method: string },
  ): Promise<void> {
    if (typeof to !== 'string') throw invalidOpenLink();
    const opening = { publishId, deviceId, to };
    if (!isOpenLink(instance, opening, signature)) throw invalidOpenLink();
    // A HEAD opens nothing.
    if (method === 'GET') await this.reports.opened(instance, opening);
    leadOn(new URL(to).href);
  }
}
