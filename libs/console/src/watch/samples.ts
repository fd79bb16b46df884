import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { ChannelsMetrics } from 'rookery/channels';

export const stepSeconds = 10;
/** One hour of samples. */
export const steps = 360;

export const seriesNames = ['connections', 'triggers', 'messages', 'webhooksFailed', 'closedAsSlow', 'errors'] as const;

/** An app's activity in a step; rates are per second. */
export type Sample = Readonly<Record<(typeof seriesNames)[number], number>>;

const none: Sample = { connections: 0, triggers: 0, messages: 0, webhooksFailed: 0, closedAsSlow: 0, errors: 0 };

export const sumOf = (samples: Iterable<Sample>): Sample => {
  const sum = { ...none } as Record<(typeof seriesNames)[number], number>;
  for (const sample of samples) for (const name of seriesNames) sum[name] += sample[name];
  return sum;
};

/** The last hour of this process, sampled every ten seconds from existing counters. */
@Injectable()
export class Samples implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly taken = new Map<number, ReadonlyMap<string, Sample>>();
  private readonly counted = new Map<string, Sample>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly metrics: ChannelsMetrics) {}

  onApplicationBootstrap(): void {
    this.take(Date.now());
    this.timer = setInterval(() => this.take(Date.now()), stepSeconds * 1000).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** The last step, over all apps. */
  get latest(): Sample {
    return sumOf([...this.taken.values()].at(-1)?.values() ?? []);
  }

  /** Means of a minute, and sums of ten, of each app. */
  lately() {
    const all = [...this.taken.values()];
    const [minute, tenMinutes] = [all.slice(-6), all.slice(-60)];
    const apps = new Set(tenMinutes.flatMap((byApp) => [...byApp.keys()]));
    return new Map(
      [...apps].map((appId) => {
        const of = (some: typeof all): Sample => sumOf(some.map((byApp) => byApp.get(appId) ?? none));
        const [{ triggers, messages }, { errors, closedAsSlow, webhooksFailed }] = [of(minute), of(tenMinutes)];
        const activity = { triggersPerSecond: triggers / minute.length, messagesPerSecond: messages / minute.length };
        return [appId, { ...activity, errors, closedAsSlow, webhooksFailed }] as const;
      }),
    );
  }

  /** By step number since 1970. @param appId absent: all apps together */
  of(appId?: string): readonly (readonly [step: number, Sample])[] {
    return [...this.taken].map(([step, byApp]) => [
      step,
      appId === undefined ? sumOf(byApp.values()) : (byApp.get(appId) ?? none),
    ]);
  }

  /** Samples the step that ends at that time. */
  take(now: number): void {
    const byApp = new Map<string, Sample>();
    for (const [appId, traffic] of this.metrics.all) {
      const { connections, triggers, clientEvents, deliveries, failedWebhooks, slowCloses, refusals } = traffic;
      const total: Sample = {
        connections,
        triggers: triggers + clientEvents,
        messages: deliveries,
        webhooksFailed: failedWebhooks,
        closedAsSlow: slowCloses,
        errors: refusals,
      };
      const before = this.counted.get(appId) ?? none;
      this.counted.set(appId, total);
      byApp.set(appId, {
        connections,
        triggers: (total.triggers - before.triggers) / stepSeconds,
        messages: (total.messages - before.messages) / stepSeconds,
        webhooksFailed: total.webhooksFailed - before.webhooksFailed,
        closedAsSlow: total.closedAsSlow - before.closedAsSlow,
        errors: total.errors - before.errors,
      });
    }
    this.taken.set(stepAt(now), byApp);
    for (const step of this.taken.keys()) if (step <= stepAt(now) - steps) this.taken.delete(step);
  }
}

export const stepAt = (now: number): number => Math.floor(now / (stepSeconds * 1000));
