import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PushServices } from '../push/push-services.js';
import { stepAt, steps, stepSeconds } from './samples.js';

export const pushSeriesNames = ['publishes', 'delivered', 'failed'] as const;

/** An instance's activity in a step. Delivered means accepted by a gateway. */
export type PushSample = Readonly<Record<(typeof pushSeriesNames)[number], number>>;

const none: PushSample = { publishes: 0, delivered: 0, failed: 0 };

/** The last hour of this process's push instances, sampled every ten seconds from existing counters. */
@Injectable()
export class PushSamples implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly taken = new Map<number, ReadonlyMap<string, PushSample>>();
  private readonly counted = new Map<string, PushSample>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly push: PushServices) {}

  onApplicationBootstrap(): void {
    this.take(Date.now());
    this.timer = setInterval(() => this.take(Date.now()), stepSeconds * 1000).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** By step number since 1970. */
  of(instanceId: string): readonly (readonly [step: number, PushSample])[] {
    return [...this.taken].map(([step, byInstance]) => [step, byInstance.get(instanceId) ?? none]);
  }

  /** Samples the step that ends at that time. */
  take(now: number): void {
    const byInstance = new Map<string, PushSample>();
    for (const [instanceId, { publishes, sent, failed }] of this.push.counted) {
      const before = this.counted.get(instanceId) ?? none;
      this.counted.set(instanceId, { publishes, delivered: sent, failed });
      byInstance.set(instanceId, {
        publishes: publishes - before.publishes,
        delivered: sent - before.delivered,
        failed: failed - before.failed,
      });
    }
    this.taken.set(stepAt(now), byInstance);
    for (const step of this.taken.keys()) if (step <= stepAt(now) - steps) this.taken.delete(step);
  }
}
