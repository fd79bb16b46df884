import { Controller, Get, Header } from '@nestjs/common';
import { ChannelsMetrics } from 'rookery/channels';

/** What Prometheus scrapes. */
@Controller('metrics')
export class MetricsController {
  constructor(private readonly channels: ChannelsMetrics) {}

  @Get()
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  metrics(): Promise<string> {
    return this.channels.registry.metrics();
  }
}
