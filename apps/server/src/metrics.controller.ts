import { Controller, Get, Header } from '@nestjs/common';
import { Registry } from 'prom-client';
import { ChannelsMetrics } from 'rookery/channels';
import { PublishMetrics } from 'rookery/publish';

/** What Prometheus scrapes. */
@Controller('metrics')
export class MetricsController {
  private readonly registry: Registry;

  constructor(channels: ChannelsMetrics, publish: PublishMetrics) {
    this.registry = Registry.merge([channels.registry, publish.registry]);
  }

  @Get()
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  metrics(): Promise<string> {
    return this.registry.metrics();
  }
}
