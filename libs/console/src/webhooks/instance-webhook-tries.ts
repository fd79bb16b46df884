import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PushColumn } from '../push/push-column.js';
import { Trace } from '../watch/trace.js';
import { EndpointHealths } from '../watch/endpoint-health.js';
import { tracedInstance } from './webhook-owner.js';

/** Has the trace keep the attempts to deliver webhooks of push instances, beside those of apps. */
@Injectable()
export class InstanceWebhookTries implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly push: PushColumn,
    private readonly trace: Trace,
    private readonly healths: EndpointHealths,
  ) {}

  onApplicationBootstrap(): void {
    if (this.trace.isOn)
      this.push.observeWebhooks(({ instanceId, body: data, webhook }) => {
        const [owner, at] = [tracedInstance(instanceId), Date.now()];
        this.trace.add({ appId: owner, kind: 'webhook', data, webhook }, at);
        this.healths.tried(owner, webhook, at);
      });
  }

  onApplicationShutdown(): void {
    this.push.observeWebhooks(undefined);
  }
}
