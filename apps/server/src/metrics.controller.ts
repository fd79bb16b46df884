import { Controller, Get, Header, Optional } from '@nestjs/common';
import { Registry } from 'prom-client';
import { ChannelsMetrics } from 'rookery/channels';
import { PublishMetrics } from 'rookery/publish';
import { RedisMetrics } from 'rookery/redis';

/** What Prometheus scrapes. */
@Controller('metrics')
export class MetricsController {
  private readonly registry: Registry;

  constructor(channels: ChannelsMetrics, publish: PublishMetrics, @Optional() redis?: RedisMetrics) {
    const all = redis ? [channels, publish, redis] : [channels, publish];
    this.registry = Registry.merge(all.map(({ registry }) => registry));
  }

  @Get()
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  metrics(): Promise<string> {
    return this.registry.metrics();
  }
}
