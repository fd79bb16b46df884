import { setTimeout as sleep } from 'node:timers/promises';
import type { JobOutcome, JobRun } from 'rookery/jobs';
import { type Instance, type Platform, platforms } from 'rookery/push-device';
import { type Lane, laneName, newLane } from '../outbox/lane.js';
import { begun } from '../outbox/publish-jobs.js';
import type { PublishRecord } from '../outbox/publish.outbox.js';
import type { FanOutPorts } from './fan-out.ports.js';
import { LeaseLost } from './lease-lost.js';
import { LaneRun } from './lane-run.js';

/** One turn of a publish, or of a range of it: all its lanes in parallel, under one lease. */
export class FanOut {
  /** Once set, no lane begins another page. */
  private stopped = false;
  /** Once set, the publish ends after the current pages. */
  private cancelled = false;
  /** The lanes that currently have work. */
  private readonly working = new Set<LaneRun>();
  /** Aborts the rests of the other lanes. */
  private resting = new AbortController();

  constructor(
    private readonly ports: FanOutPorts,
    private readonly turn: JobRun,
    /** Only with the lanes of this job. */
    private readonly claimed: PublishRecord,
  ) {}

  /** Works until the publish is finished, nothing is due, or `yields` returns true. */
  async run(yields: () => boolean): Promise<JobOutcome> {
    if (this.claimed.cancelledAt !== undefined) return this.end(this.claimed.lanes);
    const renewing = setInterval(() => void this.renew(), this.ports.settings.leaseMs / 3);
    try {
      const lanes = await this.start();
      const instance = await this.ports.instances.find(this.claimed.publish.instanceId);
      if (!instance) return await this.abandon(lanes);
      return await this.work(await this.runs(instance, lanes), () => this.stopped || this.cancelled || yields());
    } finally {
      clearInterval(renewing);
    }
  }

  private async start(): Promise<readonly Lane[]> {
    const { publish, lanes } = this.claimed;
    if (lanes.some(({ from }) => from !== undefined)) return lanes;
    if (lanes.length === 0) await this.ports.webhooks.started(publish);
    const wanted = platforms.filter((platform) => publish.payloads[platform] !== undefined);
    return Promise.all(wanted.map((platform) => this.lane(platform)));
  }

  /** The saved lane; a new one is saved at once, to mark the publish as started. */
  private async lane(platform: Platform): Promise<Lane> {
    const { lanes, publish } = this.claimed;
    const saved = lanes.find((lane) => lane.platform === platform);
    if (saved) return saved;
    const lane = newLane(platform, publish.audience.users?.length ?? 0);
    await this.save(lane);
    return lane;
  }

  private async runs(instance: Instance, lanes: readonly Lane[]): Promise<readonly LaneRun[]> {
    const { ports } = this;
    const { job, lease } = this.turn;
    const { publish } = this.claimed;
    const waiting = await ports.outbox.waiting(publish.id);
    const laneDevices = Math.floor(ports.settings.pageSize / lanes.length);
    const onCancelled = () => void (this.cancelled = true);
    const claimed = { job, lease, publish, instance, laneDevices, onCancelled };
    return lanes.map(
      (lane) =>
        new LaneRun(
          ports,
          claimed,
          lane,
          waiting.find((one) => one.lane === laneName(lane)),
        ),
    );
  }

  /** The instance, and with it the credentials, was removed from the configuration. */
  private async abandon(lanes: readonly Lane[]): Promise<JobOutcome> {
    const fault = 'The instance is no longer configured';
    const abandoned = lanes.map((lane) => ({ ...lane, paged: true, fault }));
    for (const lane of abandoned) await this.save(lane);
    return this.finish(abandoned);
  }

  private async save(lane: Lane): Promise<void> {
    const saved = await this.ports.outbox.save(this.turn.job, lane);
    if (saved === 'lost') throw new LeaseLost(`${this.claimed.publish.id} has another owner`);
    this.cancelled ||= saved === 'cancelled';
  }

  private async work(lanes: readonly LaneRun[], yields: () => boolean): Promise<JobOutcome> {
    await this.together(lanes, (lane) => this.keepUp(lane, yields));
    this.turn.stepAside();
    await this.together(lanes, (lane) => lane.drain());
    const dueAt = Math.min(...lanes.map((lane) => lane.dueAt()));
    if (dueAt === Infinity || this.cancelled) return this.finish(lanes.map(({ state }) => state));
    return { outcome: 'retry', dueAt: Math.max(dueAt, this.ports.now()), state: begun };
  }

  /** Handles retries that become due in this lane while another lane still has pages. */
  private async keepUp(lane: LaneRun, yields: () => boolean): Promise<void> {
    for (;;) {
      this.working.add(lane);
      await lane.run(yields);
      this.working.delete(lane);
      if (this.working.size === 0) return this.endRests();
      if (yields() || lane.dueAt() === Infinity) return;
      await this.rest();
    }
  }

  /** Rests until the next check, or until no lane works: a turn that only rests would block others. */
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

  /** A failing lane stops the others after their page; the turn throws the first error. */
  private async together(lanes: readonly LaneRun[], work: (lane: LaneRun) => Promise<void>): Promise<void> {
    const works = lanes.map(work);
    for (const one of works) one.catch(() => (this.stopped = true));
    const results = await Promise.allSettled(works);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  /** Ends a publish that was cancelled while no worker had it. It announces the end only if it announced the start. */
  private async end(lanes: readonly Lane[]): Promise<JobOutcome> {
    const { outbox, now } = this.ports;
    if (lanes.length > 0) return this.finish(lanes);
    await outbox.finish(this.turn.job, now());
    return { outcome: 'ended' };
  }

  /** Queues the webhooks before it marks the publish as finished: a crash in between queues them twice, not never. */
  private async finish(lanes: readonly Lane[]): Promise<JobOutcome> {
    const { webhooks, outbox, now } = this.ports;
    const { publish } = this.claimed;
    const all = await this.whole(lanes);
    if (!all) return { outcome: 'ended' };
    await webhooks.finished(publish, all);
    await outbox.finish(this.turn.job, now());
    return { outcome: 'ended' };
  }

  /** All lanes of the publish, unless other ranges of it are unfinished. */
  private async whole(lanes: readonly Lane[]): Promise<readonly Lane[] | undefined> {
    if (lanes.every(({ from, to }) => from === undefined && to === undefined)) return lanes;
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
