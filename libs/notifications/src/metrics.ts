import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { askedGauge, Labels } from '#common';
import { NotificationRepository } from './store/notification.repository.js';

/** NotificationsModule's metrics for Prometheus: register them with the host's own or serve `registry.metrics()`. */
@Injectable()
export class NotificationsMetrics {
  readonly registry = new Registry();
  readonly accepted = new Counter({
    name: 'rookery_notifications_accepted_total',
    help: 'Notifications requested, by app',
    labelNames: ['app'],
    registers: [this.registry],
  });
  readonly shown = new Counter({
    name: 'rookery_notifications_shown_total',
    help: 'How often a page in this process has shown a notification',
    registers: [this.registry],
  });
  readonly read = new Counter({
    name: 'rookery_notifications_read_total',
    help: 'Notifications that were read, each counted once',
    registers: [this.registry],
  });
  readonly settled = new Counter({
    name: 'rookery_notifications_settled_total',
    help: 'Outcomes of due notifications: pushed, limited, withdrawn or failed',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  private readonly apps = new Labels();

  constructor({ jobs }: NotificationRepository) {
    const orUnknown = (value: () => Promise<number>) => () => value().catch(() => Number.NaN);
    askedGauge(this.registry, {
      name: 'rookery_notifications_waiting',
      help: 'Notifications of all processes that are to be pushed or withdrawn, now or later',
      value: orUnknown(() => jobs.size()),
    });
    askedGauge(this.registry, {
      name: 'rookery_notifications_oldest_due_seconds',
      help: 'For how many seconds the oldest unclaimed one has been due; 0 when none is due',
      value: orUnknown(async () => {
        const now = Date.now();
        const { oldestDueAt = now } = await jobs.backlog(now);
        return (now - oldestDueAt) / 1000;
      }),
    });
  }

  /** Limits the number of series: apps beyond the first hundred share one label. */
  labelOf(appId: string): string {
    return this.apps.label(appId);
  }
}
