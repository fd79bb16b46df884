import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';

/** What a ChannelsModule counts, for Prometheus: register it with the host's own or serve `registry.metrics()`. */
@Injectable()
export class ChannelsMetrics {
  readonly registry = new Registry();
  readonly connections = new Gauge({
    name: 'rookery_channels_connections',
    help: 'Open connections of this process',
    registers: [this.registry],
  });
  readonly slowConnections = new Counter({
    name: 'rookery_channels_slow_connections_total',
    help: 'Connections closed with 4100 because more waited for them than the limit allows',
    registers: [this.registry],
  });
  readonly webhooksGivenUp = new Counter({
    name: 'rookery_channels_webhooks_given_up_total',
    help: 'Webhooks whose last try failed, that no try could deliver, or that were too many',
    registers: [this.registry],
  });
  readonly triggersBuried = new Counter({
    name: 'rookery_channels_triggers_buried_total',
    help: 'Events of transactions that can never be sent, since their app is gone or allows no such channel',
    registers: [this.registry],
  });
  readonly gaps = new Counter({
    name: 'rookery_channels_gaps_total',
    help: 'Times that a channel with subscribers here may have missed messages on their way to this process',
    registers: [this.registry],
  });
}
