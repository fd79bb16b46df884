import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ActivityTap, NodeRpc, type Observed, type ObservedEvent, type Observer } from 'rookery/internal/channels';
import type { Awaitable } from 'rookery/internal/common';
import { ChannelRates } from './channel-rates.js';
import { EndpointHealths } from './endpoint-health.js';
import { Trace } from './trace.js';

/** In every process: has the trace keep what happens, which the pages of any process ask for. */
@Injectable()
export class ActivityRecorder implements Observer, OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly calls: NodeRpc,
    private readonly tap: ActivityTap,
    private readonly trace: Trace,
    private readonly healths: EndpointHealths,
    private readonly rates: ChannelRates,
  ) {}

  onApplicationBootstrap(): void {
    this.calls.open();
    if (this.trace.isOn) this.tap.observer = this;
  }

  onApplicationShutdown(): void {
    this.tap.observer = undefined;
  }

  observed(observed: Observed): void {
    const at = Date.now();
    this.trace.add(observed, at);
    const { appId, webhook } = observed;
    if (appId !== undefined && webhook) this.healths.tried(appId, webhook, at);
  }

  sent(event: ObservedEvent, position: Awaitable<string | undefined>, isOfClient = false): void {
    this.rates.count(event.appId, event.channel);
    if (!(position instanceof Promise)) this.trace.sent(event, position, isOfClient);
    // Skip the await when nothing is recorded.
    else if (!this.trace.hasRoom) this.trace.skip(event.appId);
    else
      position.then(
        (placed) => this.trace.sent(event, placed, isOfClient),
        () => undefined,
      );
  }

  passed(event: ObservedEvent, position: string): void {
    // Member and count events are not traced.
    if (event.change === undefined) this.trace.passed(event, position);
  }
}
