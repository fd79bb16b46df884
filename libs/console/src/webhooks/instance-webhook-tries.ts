import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PushColumn } from '../push/push-column.js';
import { Trace } from '../watch/trace.js';
import { tracedInstance } from './webhook-owner.js';

/** Has the trace keep the attempts to deliver webhooks of push instances, beside those of apps. */
@Injectable()
export class InstanceWebhookTries implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly push: PushColumn,
    private readonly trace: Trace,
  ) {}

  onApplicationBootstrap(): void {
    if (this.trace.isOn)
      this.push.observeWebhooks(({ instanceId, body: data, webhook }) => {
        this.trace.add({ appId: tracedInstance(instanceId), kind: 'webhook', data, webhook }, Date.now());
      });
  }

  onApplicationShutdown(): void {
    this.push.observeWebhooks(undefined);
  }
}
