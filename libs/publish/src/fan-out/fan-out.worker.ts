import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { settledIn } from '#common';
import { type ClaimedJob, type JobOutcome, type JobRun, JobRunner, missingRecord } from 'rookery/internal/jobs';
import { DuePublishes } from '../outbox/due-publishes.js';
import { begun, isPartitionOfJob } from '../outbox/publish-jobs.js';
import { LeaseLost } from './claimed-publish.js';
import { FanOut } from './fan-out.js';
import { FanOutPorts } from './fan-out.ports.js';

/** How long a publish pauses after a storage error, in milliseconds. */
const restMs = 5000;

/** How long the sends of the pages in progress may delay a shutdown, in milliseconds. */
const pageMs = 5000;
/** How long it then takes at most to save those pages. */
const savingMs = 2000;

/**
 * Runs due publishes, several at a time, each for one turn: while others wait, a publish goes back to the end of the
 * queue after its turn, so that a large publish never delays a small one. It runs only one range of a publish at a
 * time: two in one process would be no faster, and a crash would repeat two pages.
 */
@Injectable()
export class FanOutWorker implements OnApplicationBootstrap, OnModuleDestroy, BeforeApplicationShutdown {
  private readonly logger = new Logger('Fan-out');
  private readonly runner: JobRunner;
  private stopping: Promise<void> | undefined;
  private isCutShort = false;

  constructor(
    private readonly ports: FanOutPorts,
    due: DuePublishes,
  ) {
    const { outbox, settings, now, steady } = ports;
    const { concurrentPublishes: concurrency, leaseMs, pollMs } = settings;
    const { apns, fcm, web } = settings.concurrency;
    this.runner = new JobRunner(outbox.jobs, {
      jobs: 'publishes',
      run: (run) => this.turn(run),
      concurrency,
      // A run that has stepped aside waits for sends, whose number is limited for each platform and instance.
      maxRuns: 2 * (concurrency + apns + fcm + web),
      perKey: 1,
      leaseMs,
      pollMs,
      // A worker-only process has nothing else on the event loop.
      keepsAlive: true,
      now,
      steady,
    });
    if (settings.worker) due.onDue(() => this.runner.wake());
  }

  onApplicationBootstrap(): void {
    if (this.ports.settings.worker) this.runner.start();
  }

  /** Begins to stop, beside the rest of the shutdown. */
  onModuleDestroy(): void {
    this.stopping ??= this.stop();
  }

  /** Runs before the other providers shut down: the current page still needs the gateways and the storage. */
  async beforeApplicationShutdown(): Promise<void> {
    await (this.stopping ??= this.stop());
  }

  /**
   * Finishes the pages in progress. Sends that take too long are cut off, and saved for another process with the devices
   * that nothing was sent to; what cannot be saved is left to the end of the lease.
   */
  private async stop(): Promise<void> {
    const stopped = this.runner.stop();
    if (await settledIn(stopped, pageMs)) return;
    this.isCutShort = true;
    // Ends the sends in progress: they are tried again.
    const closed = this.ports.gateways.close();
    if (await settledIn(Promise.all([stopped, closed]), savingMs)) return;
    this.logger.warn('Pages in progress could not be saved: another process repeats them when their lease ends');
  }

  private async turn(run: JobRun): Promise<JobOutcome> {
    const { outbox, settings, steady, now } = this.ports;
    const { key: id, owner } = run.job;
    const over = steady() + settings.turnMs;
    const yields = (): boolean => this.runner.isStopped || (run.isCrowded() && steady() >= over);
    try {
      const record = await outbox.find(owner, id);
      if (!record) return this.search(run.job);
      const partitions = record.partitions.filter((partition) => isPartitionOfJob(run.job, partition));
      return await new FanOut(this.ports, run, { ...record, partitions }, () => this.isCutShort).run(yields);
    } catch (error) {
      if (error instanceof LeaseLost) {
        this.logger.warn(error.message);
        return { outcome: 'ended' };
      }
      this.logger.error(`Publish ${id} was interrupted and will continue in ${restMs / 1000} s`, error);
      return { outcome: 'retry', dueAt: now() + restMs, state: begun };
    }
  }

  private search(job: ClaimedJob): JobOutcome {
    const { outcome, line } = missingRecord(job, this.ports.now(), `Publish ${job.key}`);
    if (line !== undefined) this.logger.error(line);
    return outcome;
  }
}
