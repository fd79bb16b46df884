import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { Labels } from '#common';
import { type Platform, platforms } from 'rookery/push-device';
import type { Publish } from './publish.js';

/** An instance's traffic through this process, as plain numbers. */
export interface InstanceTraffic {
  publishes: number;
  sent: number;
  failed: number;
}

/** The outcomes that the metrics of a page count. */
interface SettledDevices {
  readonly sent: readonly unknown[];
  readonly failed: readonly { readonly reason: string }[];
}

/** PublishModule's metrics for Prometheus: register them with the host's own or serve `registry.metrics()`. */
@Injectable()
export class PublishMetrics {
  readonly registry = new Registry();
  readonly publishes = new Counter({
    name: 'rookery_publish_publishes_total',
    help: 'Publishes accepted, by audience: interests or users',
    labelNames: ['to'],
    registers: [this.registry],
  });
  readonly sent = new Counter({
    name: 'rookery_publish_sent_total',
    help: 'Notifications that a gateway accepted',
    labelNames: ['platform'],
    registers: [this.registry],
  });
  readonly failed = new Counter({
    name: 'rookery_publish_failed_total',
    help: 'Notifications that will not be sent, by reason',
    labelNames: ['platform', 'reason'],
    registers: [this.registry],
  });
  readonly deferred = new Counter({
    name: 'rookery_publish_put_off_total',
    help: 'Sends that a gateway deferred, to be retried later',
    labelNames: ['platform'],
    registers: [this.registry],
  });
  readonly removedDevices = new Counter({
    name: 'rookery_publish_removed_devices_total',
    help: 'Devices removed because their token is gone',
    labelNames: ['platform'],
    registers: [this.registry],
  });
  readonly keptDevices = new Counter({
    name: 'rookery_publish_kept_devices_total',
    help: 'Devices that are reported as gone but stay, because suspiciously many are',
    labelNames: ['platform'],
    registers: [this.registry],
  });
  readonly webhookTries = new Counter({
    name: 'rookery_publish_webhook_tries_total',
    help: 'Tries to deliver a webhook, by outcome: accepted, failed or refused',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  readonly webhooksGivenUp = new Counter({
    name: 'rookery_publish_webhooks_given_up_total',
    help: 'Webhooks given up: the last try failed, a retry could not succeed, or too many were waiting',
    registers: [this.registry],
  });
  /**
   * The same per instance, without the other labels, because their product would be too many series. Prometheus uses
   * the label `instance` for the process.
   */
  readonly ofInstances = {
    publishes: new Counter({
      name: 'rookery_publish_instance_publishes_total',
      help: 'Publishes accepted, by instance',
      labelNames: ['beams_instance'],
      registers: [this.registry],
    }),
    sent: new Counter({
      name: 'rookery_publish_instance_sent_total',
      help: 'Notifications that a gateway accepted, by instance',
      labelNames: ['beams_instance'],
      registers: [this.registry],
    }),
    failed: new Counter({
      name: 'rookery_publish_instance_failed_total',
      help: 'Notifications that will not be sent, by instance',
      labelNames: ['beams_instance'],
      registers: [this.registry],
    }),
  };
  private readonly traffic = new Map<string, InstanceTraffic>();
  private readonly instances = new Labels();
  private readonly reasons = new Labels();

  constructor() {
    // An increase can be seen only from a value: a series that begins at 1000 has none.
    for (const platform of platforms) this.keptDevices.inc({ platform }, 0);
  }

  accepted({ instanceId, target }: Publish): void {
    this.publishes.inc({ to: target.users ? 'users' : 'interests' });
    this.ofInstances.publishes.inc({ beams_instance: this.instances.label(instanceId) });
    this.of(instanceId).publishes += 1;
  }

  /** The traffic of every instance that this process has served. */
  get byInstance(): ReadonlyMap<string, Readonly<InstanceTraffic>> {
    return this.traffic;
  }

  /** @param deferred - the number of the page's devices to try again */
  page(instanceId: string, platform: Platform, { sent, failed }: SettledDevices, deferred: number): void {
    const instance = { beams_instance: this.instances.label(instanceId) };
    this.ofInstances.sent.inc(instance, sent.length);
    this.ofInstances.failed.inc(instance, failed.length);
    this.sent.inc({ platform }, sent.length);
    this.of(instanceId).sent += sent.length;
    this.of(instanceId).failed += failed.length;
    this.deferred.inc({ platform }, deferred);
    const counts = new Map<string, number>();
    for (const { reason } of failed) counts.set(reason, (counts.get(reason) ?? 0) + 1);
    for (const [reason, count] of counts) this.failed.inc({ platform, reason: this.reasons.label(reason) }, count);
  }

  private of(instanceId: string): InstanceTraffic {
    const label = this.instances.label(instanceId);
    let traffic = this.traffic.get(label);
    if (!traffic) this.traffic.set(label, (traffic = { publishes: 0, sent: 0, failed: 0 }));
    return traffic;
  }
}
