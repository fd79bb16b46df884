import { Inject, Injectable, Logger } from '@nestjs/common';
import { askedGauge } from 'rookery/common';
import { tooManyWaiting } from '../http/errors.js';
import { PublishMetrics } from '../metrics.js';
import { type Clock, publishClock, PublishSettings } from '../publish.options.js';
import { type Backlog, PublishOutbox } from './publish.outbox.js';

/** How long an answer of the outbox is good for, in milliseconds. */
const freshMs = 1000;

/** When a publisher that was refused should come back. */
const retryAfterSeconds = 5;

/** Knows how far the workers are behind: for the metrics, and to take no more than the setting allows. */
@Injectable()
export class BacklogWatch {
  private readonly logger = new Logger('Publish');
  private known?: { readonly at: number; readonly backlog: Promise<Backlog> };
  /** Publishes taken since it was known. */
  private taken = 0;

  constructor(
    private readonly outbox: PublishOutbox,
    private readonly settings: PublishSettings,
    @Inject(publishClock) private readonly now: Clock,
    { registry }: PublishMetrics,
  ) {
    const told = (value: (backlog: Backlog) => number) => () => this.told(value);
    askedGauge(registry, {
      name: 'rookery_publish_waiting_publishes',
      help: 'Publishes that are due and wait for a worker, in the whole of the queue',
      value: told(({ publishes }) => publishes),
    });
    askedGauge(registry, {
      name: 'rookery_publish_oldest_waiting_seconds',
      help: 'How long the first of them has been due; 0 when none waits',
      value: told(({ oldestDueAt }) => (oldestDueAt === undefined ? 0 : (this.now() - oldestDueAt) / 1000)),
    });
  }

  /** Refuses another publish while too many wait already. Without a limit nothing is asked. */
  async assertRoom(): Promise<void> {
    const { maxWaitingPublishes } = this.settings;
    if (maxWaitingPublishes === Infinity) return;
    const { publishes } = await this.backlog();
    if (publishes + this.taken >= maxWaitingPublishes) throw tooManyWaiting(retryAfterSeconds);
    // Those of this process are counted at once: in a second many can come.
    this.taken += 1;
  }

  private backlog(): Promise<Backlog> {
    const now = this.now();
    if (!this.known || now - this.known.at >= freshMs) {
      const backlog = this.outbox.backlog(now);
      const known = { at: now, backlog };
      this.known = known;
      this.taken = 0;
      // Whoever asked meets the error; the next one asks again.
      backlog.catch(() => (this.known = this.known === known ? undefined : this.known));
    }
    return this.known.backlog;
  }

  /** While the storage is away there is no figure, and the other metrics are served all the same. */
  private async told(value: (backlog: Backlog) => number): Promise<number> {
    try {
      return value(await this.backlog());
    } catch (error) {
      this.logger.warn(`The backlog cannot be read for the metrics: ${String(error)}`);
      return Number.NaN;
    }
  }
}
