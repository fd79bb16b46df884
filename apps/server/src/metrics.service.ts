import { Injectable, Optional } from '@nestjs/common';
import { AggregatorRegistry, Registry } from 'prom-client';
import { ChannelsMetrics } from 'rookery/channels';
import { NotificationsMetrics } from 'rookery/notifications';
import { PublishMetrics } from 'rookery/publish';
import { RedisMetrics } from 'rookery/redis';
import { OpenFiles } from './open-files.js';
import { ServerMetrics } from './server-metrics.js';
import { primaryServices, workerServices } from './workers/link-services.js';
import { RpcLink } from './workers/rpc-link.js';
import type { WorkerMetrics } from './workers/worker.js';

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** The metrics for Prometheus: of this process, or of all workers together. */
@Injectable()
export class MetricsService implements WorkerMetrics {
  private readonly registries: readonly Registry[];

  constructor(
    server: ServerMetrics,
    files: OpenFiles,
    publish: PublishMetrics,
    @Optional() channels?: ChannelsMetrics,
    @Optional() notifications?: NotificationsMetrics,
    @Optional() redis?: RedisMetrics,
    @Optional() private readonly primary?: RpcLink,
  ) {
    const all = [server, files, channels, publish, notifications, redis].filter((metrics) => metrics !== undefined);
    this.registries = all.map(({ registry }) => registry);
    primary?.serve(workerServices.metrics, this);
  }

  /** In Prometheus's text format. */
  async text(): Promise<string> {
    if (!this.primary) return this.registry.metrics();
    const all = await this.primary.call(primaryServices.metrics, 'ofAll');
    return AggregatorRegistry.aggregate([...all]).metrics();
  }

  /** Read on demand: some metrics are added when the application has started. */
  private get registry(): Registry {
    return Registry.merge([...this.registries]);
  }

  /** Called by the process that started this worker. */
  ofWorker(): Promise<readonly object[]> {
    return this.registry.getMetricsAsJSON();
  }
}
