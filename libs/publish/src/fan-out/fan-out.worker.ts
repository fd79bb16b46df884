import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { type ClaimedJob, type JobOutcome, type JobRun, JobRunner, missingRecord } from 'rookery/jobs';
import { DuePublishes } from '../outbox/due-publishes.js';
import { begun, isPartitionOfJob } from '../outbox/publish-jobs.js';
import { LeaseLost } from './claimed-publish.js';
import { FanOut } from './fan-out.js';
import { FanOutPorts } from './fan-out.ports.js';

/** How long a publish pauses after a storage error, in milliseconds. */
const restMs = 5000;

/**
 * Runs due publishes, several at a time, each for one turn: while others wait, a publish goes back to the end of the
 * queue after its turn, so that a large publish never delays a small one. It runs only one range of a publish at a
 * time: two in one process would be no faster, and a crash would repeat two pages.
 */
@Injectable()
export class FanOutWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Fan-out');
  private readonly runner: JobRunner;

  constructor(
    private readonly ports: FanOutPorts,
    due: DuePublishes,
  ) {
    const { outbox, settings, now, steady } = ports;
    const { concurrentPublishes: concurrency, leaseMs, pollMs } = settings;
    this.runner = new JobRunner(outbox.jobs, {
      jobs: 'publishes',
      run: (run) => this.turn(run),
      concurrency,
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

  /** Runs before the other providers shut down: the current page still needs the gateways and the storage. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.runner.stop();
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
      return await new FanOut(this.ports, run, { ...record, partitions }).run(yields);
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
