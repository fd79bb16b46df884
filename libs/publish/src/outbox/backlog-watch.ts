import { Inject, Injectable, Logger } from '@nestjs/common';
import { askedGauge } from '#common';
import type { JobBacklog } from 'rookery/jobs';
import { tooManyWaiting } from '../publish.errors.js';
import { PublishMetrics } from '../metrics.js';
import { type Clock, publishClock, PublishSettings } from '../publish.options.js';
import { PublishOutbox } from './publish.outbox.js';

/** How long to reuse a backlog that was read, in milliseconds. */
const freshMs = 1000;

/** When a refused publisher should retry. */
const retryAfterSeconds = 5;

/** Tracks the workers' backlog: for the metrics, and to refuse publishes beyond the configured limit. */
@Injectable()
export class BacklogWatch {
  private readonly logger = new Logger('Publish');
  private known?: { readonly at: number; readonly backlog: Promise<JobBacklog> };
  /** Publishes accepted since the backlog was read. */
  private taken = 0;

  constructor(
    private readonly outbox: PublishOutbox,
    private readonly settings: PublishSettings,
    @Inject(publishClock) private readonly now: Clock,
    { registry }: PublishMetrics,
  ) {
    const collect = (value: (backlog: JobBacklog) => number) => () => this.collected(value);
    askedGauge(registry, {
      name: 'rookery_publish_waiting_publishes',
      help: 'Publishes that are due and wait for a worker, in the whole queue',
      value: collect(({ dueKeys }) => dueKeys),
    });
    askedGauge(registry, {
      name: 'rookery_publish_oldest_waiting_seconds',
      help: 'For how many seconds the oldest of them has been due; 0 when none is waiting',
      value: collect(({ oldestDueAt }) => (oldestDueAt === undefined ? 0 : (this.now() - oldestDueAt) / 1000)),
    });
  }

  /** Refuses a publish while too many wait already. Without a limit, it does not query the outbox. */
  async assertRoom(): Promise<void> {
    const { maxWaitingPublishes } = this.settings;
    if (maxWaitingPublishes === Infinity) return;
    const { dueKeys } = await this.backlog();
    if (dueKeys + this.taken >= maxWaitingPublishes) throw tooManyWaiting(retryAfterSeconds);
    // Publishes of this process count at once: many can arrive within a second.
    this.taken += 1;
  }

  private backlog(): Promise<JobBacklog> {
    const now = this.now();
    if (!this.known || now - this.known.at >= freshMs) {
      const backlog = this.outbox.jobs.backlog(now);
      const known = { at: now, backlog };
      this.known = known;
      this.taken = 0;
      // The caller gets the error; the next call queries again.
      backlog.catch(() => (this.known = this.known === known ? undefined : this.known));
    }
    return this.known.backlog;
  }

  /** Unknown while the storage is unreachable; the other metrics are still served. */
  private async collected(value: (backlog: JobBacklog) => number): Promise<number> {
    try {
      return value(await this.backlog());
    } catch (error) {
      this.logger.warn(`The backlog cannot be read for the metrics: ${String(error)}`);
      return Number.NaN;
    }
  }
}
