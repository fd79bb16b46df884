import { setTimeout as sleep } from 'node:timers/promises';
import type { JobOutcome, JobRun } from 'rookery/internal/jobs';
import { type Instance, type Platform, platforms } from 'rookery/push-device';
import { type Partition, partitionName, newPartition } from '../outbox/partition.js';
import { begun } from '../outbox/publish-jobs.js';
import type { PublishRecord } from '../outbox/publish.outbox.js';
import { LeaseLost } from './claimed-publish.js';
import { dueAtOf } from '../publish.js';
import type { FanOutPorts } from './fan-out.ports.js';
import { PartitionRun } from './partition-run.js';

/** After which time the attempt of a publish is reported even if some devices were not tried, in milliseconds. */
const attemptMs = 60_000;

const isWhole = (partitions: readonly Partition[]): boolean =>
  partitions.every(({ from, to }) => from === undefined && to === undefined);

const isAttempted = (partitions: readonly Partition[]): boolean => partitions.some(({ attempted }) => attempted);

/** One turn of a publish, or of a range of it: all its partitions in parallel, under one lease. */
export class FanOut {
  /** Once set, no partition begins another page. */
  private stopped = false;
  /** Once set, the publish ends after the current pages. */
  private cancelled = false;
  /** Whether another job has its slot, because it only waits for gateways. */
  private isAside = false;
  /** The partitions that currently have work. */
  private readonly working = new Set<PartitionRun>();
  /** Aborts the rests of the other partitions. */
  private resting = new AbortController();

  constructor(
    private readonly ports: FanOutPorts,
    private readonly turn: JobRun,
    /** Only with the partitions of this job. */
    private readonly claimed: PublishRecord,
    private readonly isCutShort: () => boolean,
  ) {}

  /** Works until the publish is finished, nothing is due, or `yields` returns true. */
  async run(yields: () => boolean): Promise<JobOutcome> {
    if (this.claimed.cancelledAt !== undefined) return this.end(this.claimed.partitions);
    const renewing = setInterval(() => void this.renew(), this.ports.settings.leaseMs / 3);
    try {
      const partitions = await this.start();
      const instance = await this.ports.instances.find(this.claimed.publish.instanceId);
      if (!instance) return await this.abandon(partitions);
      return await this.work(await this.runs(instance, partitions), () => this.hasEnded || yields());
    } finally {
      clearInterval(renewing);
    }
  }

  private async start(): Promise<readonly Partition[]> {
    const { publish, partitions } = this.claimed;
    if (partitions.some(({ from }) => from !== undefined)) return partitions;
    if (partitions.length === 0) await this.ports.webhooks.started(publish);
    const wanted = platforms.filter((platform) => publish.payloads[platform] !== undefined);
    return Promise.all(wanted.map((platform) => this.partition(platform)));
  }

  /** The saved partition; a new one is saved at once, to mark the publish as started. */
  private async partition(platform: Platform): Promise<Partition> {
    const { partitions, publish } = this.claimed;
    const saved = partitions.find((partition) => partition.platform === platform);
    if (saved) return saved;
    const partition = newPartition(platform, publish.target.users?.length ?? 0);
    await this.save(partition);
    return partition;
  }

  private async runs(instance: Instance, partitions: readonly Partition[]): Promise<readonly PartitionRun[]> {
    const { ports } = this;
    const { job, lease } = this.turn;
    const { publish } = this.claimed;
    const waiting = await ports.outbox.waiting(publish.id);
    const partitionDevices = Math.floor(ports.settings.pageSize / partitions.length);
    const onCancelled = () => void (this.cancelled = true);
    const { isCutShort } = this;
    const onWaiting = () => this.waits();
    const claimed = { job, lease, publish, instance, partitionDevices, onCancelled, isCutShort, onWaiting };
    return partitions.map(
      (partition) =>
        new PartitionRun(
          ports,
          claimed,
          partition,
          waiting.find((one) => one.partition === partitionName(partition)),
        ),
    );
  }

  /** The instance, and with it the credentials, was removed from the configuration. */
  private async abandon(partitions: readonly Partition[]): Promise<JobOutcome> {
    const fault = 'The instance is no longer configured';
    const abandoned = partitions.map((partition) => ({ ...partition, paged: true, fault }));
    for (const partition of abandoned) await this.save(partition);
    return this.finish(abandoned);
  }

  private async save(partition: Partition): Promise<void> {
    const saved = await this.ports.outbox.save(this.turn.job, partition);
    if (saved === 'lost') throw new LeaseLost(`${this.claimed.publish.id} has another owner`);
    this.cancelled ||= saved === 'cancelled';
  }

  private async work(partitions: readonly PartitionRun[], yields: () => boolean): Promise<JobOutcome> {
    await this.together(partitions, (partition) => this.keepUp(partition, yields));
    this.turn.stepAside();
    await this.together(partitions, (partition) => partition.drain());
    const dueAt = Math.min(...partitions.map((partition) => partition.dueAt()));
    if (dueAt === Infinity || this.cancelled) return this.finish(partitions.map(({ state }) => state));
    const attemptAt = await this.reportAttempt(partitions);
    return { outcome: 'retry', dueAt: Math.max(Math.min(dueAt, attemptAt), this.ports.now()), state: begun };
  }

  /**
   * Reports the attempt of a publish to users once each device was tried, or after a minute, without waiting for those
   * that are tried again. Returns when to look again. A publish in ranges reports it at its end.
   */
  private async reportAttempt(partitions: readonly PartitionRun[]): Promise<number> {
    const states = partitions.map(({ state }) => state);
    const { publish } = this.claimed;
    if (!publish.target.users || isAttempted(states) || !isWhole(states)) return Infinity;
    const reportAt = dueAtOf(publish) + attemptMs;
    if (states.some(({ paged }) => !paged) && this.ports.now() < reportAt) return reportAt;
    await this.ports.webhooks.attempted(publish, states);
    for (const partition of partitions) await partition.attempted();
    return Infinity;
  }

  /** Handles retries that become due in this partition while another partition still has pages. */
  private async keepUp(partition: PartitionRun, yields: () => boolean): Promise<void> {
    for (;;) {
      this.working.add(partition);
      await partition.run(yields);
      this.working.delete(partition);
      if (this.working.size === 0) return this.endRests();
      if (partition.dueAt() === Infinity) return;
      if (yields()) return this.leaveRest(partition);
      await this.rest();
    }
  }

  /** The other pages of a partition need not wait for a gateway that holds up another partition. */
  private async leaveRest(partition: PartitionRun): Promise<void> {
    while (this.working.size > 0 && !this.hasEnded) await this.rest();
    if (this.isAside) await partition.leaveRest();
  }

  /** A turn that only waits for gateways would block others. */
  private waits(): void {
    if (this.isAside || !this.turn.isCrowded()) return;
    for (const partition of this.working) if (!partition.isWaiting) return;
    this.isAside = true;
    this.turn.stepAside();
    this.endRests();
  }

  private get hasEnded(): boolean {
    return this.stopped || this.cancelled || this.isAside;
  }

  /** Rests until the next check, or until no partition works: a turn that only rests would block others. */
  private async rest(): Promise<void> {
    const { signal } = this.resting;
    try {
      await sleep(this.ports.settings.pollMs, undefined, { signal });
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  private endRests(): void {
    this.resting.abort();
    this.resting = new AbortController();
  }

  /** A failing partition stops the others after their page; the turn throws the first error. */
  private async together(
    partitions: readonly PartitionRun[],
    work: (partition: PartitionRun) => Promise<void>,
  ): Promise<void> {
    const works = partitions.map(work);
    for (const one of works) one.catch(() => (this.stopped = true));
    const results = await Promise.allSettled(works);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  /** Ends a publish that was cancelled while no worker had it. It announces the end only if it announced the start. */
  private async end(partitions: readonly Partition[]): Promise<JobOutcome> {
    const { outbox, now } = this.ports;
    if (partitions.length > 0) return this.finish(partitions);
    await outbox.finish(this.turn.job, now());
    return { outcome: 'ended' };
  }

  /** Queues the webhooks before it marks the publish as finished: a crash in between queues them twice, not never. */
  private async finish(partitions: readonly Partition[]): Promise<JobOutcome> {
    const { webhooks, outbox, now } = this.ports;
    const { publish } = this.claimed;
    const all = await this.whole(partitions);
    if (!all) return { outcome: 'ended' };
    await webhooks.finished(publish, all);
    if (publish.target.users && !isAttempted(all)) await webhooks.attempted(publish, all);
    await outbox.finish(this.turn.job, now());
    return { outcome: 'ended' };
  }

  /** All partitions of the publish, unless other ranges of it are unfinished. */
  private async whole(partitions: readonly Partition[]): Promise<readonly Partition[] | undefined> {
    if (isWhole(partitions)) return partitions;
    return this.ports.outbox.leave(this.turn.job);
  }

  private async renew(): Promise<void> {
    try {
      this.stopped ||= !(await this.turn.lease.renew());
    } catch {
      // The storage is unreachable: if the lease expires, the next send must renew it first.
    }
  }
}
