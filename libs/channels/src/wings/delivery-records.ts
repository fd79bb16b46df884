import { Injectable, type OnModuleInit } from '@nestjs/common';
import { traced } from '#common';
import type { BrokerEvent, Position } from '../broker/broker.js';
import type { ChannelObserver } from '../hub/channel-observer.js';
import { Hub } from '../hub/hub.js';
import { ActivityTap } from '../lifecycle/activity-tap.js';
import { ChannelsMetrics } from '../metrics.js';
import { preciseNow } from '../precise-now.js';

/** Records deliveries: for the console, as the time from a trigger to the sockets, and in traces. */
@Injectable()
export class DeliveryRecords implements ChannelObserver, OnModuleInit {
  constructor(
    private readonly hub: Hub,
    private readonly metrics: ChannelsMetrics,
    private readonly tap: ActivityTap,
  ) {}

  onModuleInit(): void {
    this.hub.observe(this);
  }

  delivered(event: BrokerEvent, position: Position, connections: number): void {
    this.tap.observer?.passed(event, position);
    if (event.acceptedAt !== undefined) this.timeUntilWritten(event.acceptedAt);
    if (event.traceparent !== undefined) this.traceUntilWritten(event, connections);
  }

  /** @param acceptedAt epoch milliseconds, by the clock of the machine that accepted the trigger */
  private timeUntilWritten(acceptedAt: number): void {
    const { triggerToSocket } = this.metrics;
    this.hub.writes.whenWritten(() => triggerToSocket.observe(Math.max(0, preciseNow() - acceptedAt) / 1000));
  }

  private traceUntilWritten({ appId, channel, traceparent }: BrokerEvent, connections: number): void {
    const attributes = { 'rookery.app': appId, 'rookery.channel': channel, 'rookery.connections': connections };
    const work = traced('rookery deliver', 'CONSUMER', attributes, traceparent);
    if (work) this.hub.writes.whenWritten(() => work.end());
  }
}
