import { Controller, Get, Header, UseGuards } from '@nestjs/common';
import { MetricsGuard } from './metrics.guard.js';
import { metricsType, MetricsService } from './metrics.service.js';

/** The metrics on the server's own port. */
@Controller('metrics')
@UseGuards(MetricsGuard)
export class MetricsController {
  constructor(private readonly metrics: MetricsService) {}

  @Get()
  @Header('content-type', metricsType)
  text(): Promise<string> {
    return this.metrics.text();
  }
}
