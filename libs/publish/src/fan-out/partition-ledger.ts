import { Logger } from '@nestjs/common';
import type { DeviceAddress } from 'rookery/push-device';
import type { PlatformFault } from '../delivery/push.gateway.js';
import { type Partition, partitionName, type Retry } from '../outbox/partition.js';
import type { PartitionChange, WaitingRetries } from '../outbox/publish.outbox.js';
import { dueAtOf } from '../publish.js';
import type { FanOutPorts } from './fan-out.ports.js';
import { type ClaimedPublish, LeaseLost } from './claimed-publish.js';
import type { CircuitBreakers } from './circuit-breakers.js';
import { newOutcomes } from './new-outcomes.js';
import { type DeferredDevice, type PageOutcome, platformFault } from './page-outcome.js';
import type { PartitionPage } from './recipients.js';
import { RetryQueue } from './retry-queue.js';
import { tally } from './tally.js';

/** The results of a partition that are saved together. */
export interface Settlement {
  readonly outcome: PageOutcome;
  /** The page sent to; absent for retries and late answers. */
  readonly page?: PartitionPage;
  /** Devices that had a retry waiting. */
  readonly retried?: readonly string[];
  /** The devices among them whose gateway has not answered yet. */
  readonly late?: readonly DeviceAddress[];
  /** The devices among them that nothing was sent to, because the process stops. */
  readonly skipped?: readonly DeviceAddress[];
}

/** Maintains one platform's part of a publish: its counts, its cursor, its retries. It saves at every settlement. */
export class PartitionLedger {
  readonly retries: RetryQueue;
  /** Whether another range can be handed over, according to the last save. */
  isRangeWanted = false;
  /** Whether the last page reached some devices while apps of others are stopped. */
  isPartial = false;
  /** Whether devices were removed since the last save. */
  private hasRemoved = false;
  private readonly breakers: CircuitBreakers;
  private readonly logger = new Logger('Fan-out');

  constructor(
    private readonly ports: FanOutPorts,
    private readonly claimed: ClaimedPublish,
    private current: Partition,
    waiting: WaitingRetries | undefined,
  ) {
    this.retries = new RetryQueue(ports.outbox, claimed.publish.id, partitionName(current), waiting);
    this.breakers = ports.breakersOf(claimed.instance.id, current.platform);
  }

  get partition(): Partition {
    return this.current;
  }

  /**
   * Records that nothing can be sent on the platform, or to an app. Logged once, and stored with the publish until a
   * send succeeds.
   */
  fault({ message, bundleIdentifier }: Pick<PlatformFault, 'message' | 'bundleIdentifier'>): void {
    this.current = { ...this.current, fault: message };
    const { publish, instance } = this.claimed;
    this.ports.faults.fault(instance.id, this.current.platform, publish.id, message, bundleIdentifier);
  }

  /** Notes that the attempt of the publish has been reported. */
  async attempted(): Promise<void> {
    this.current = { ...this.current, attempted: true };
    await this.keep({ again: [], settled: [] });
  }

  /** Leaves `range` to another worker. */
  async handOver(range: Partition): Promise<void> {
    const { paged, cursor } = this.current;
    this.current = { ...this.current, to: range.from, paged: paged || range.from === cursor };
    const handedOver = { partition: range, dueAt: this.ports.now() };
    await this.keep({ again: [], settled: [], handedOver });
  }

  /** @param ttlMs - how long after the publish a deferred device is worth another try */
  async settle(settlement: Settlement, ttlMs: number): Promise<void> {
    const { outcome, page, retried = [], late = [], skipped = [] } = settlement;
    if (page) this.isPartial = outcome.isPartial && this.breakers.isOfApps;
    const deferred = this.retriesOf(outcome, ttlMs);
    this.ports.metrics.page(this.claimed.instance.id, this.current.platform, outcome, deferred.length);
    const now = this.ports.now();
    const again = [
      ...deferred,
      ...late.map(({ id }) => this.retries.late(id, now)),
      ...skipped.map(({ id }) => this.retries.skipped(id, now)),
    ];
    this.report(outcome);
    if (page) this.turn(page);
    this.current = tally(this.current, outcome, this.claimed.publish.target);
    await this.save(settlement, again);
    // Only after saving, because only the owner of the publish can save.
    await this.removeGone(outcome);
    const isLate = new Set(late.map(({ id }) => id));
    const changed = again.length > 0 || retried.length > 0;
    if (changed) await this.retries.refresh(retried.filter((id) => !isLate.has(id)));
  }

  /** Saves how many devices the last page removed. */
  async end(): Promise<void> {
    if (this.hasRemoved) await this.keep({ again: [], settled: [] });
  }

  private async removeGone(outcome: PageOutcome): Promise<void> {
    const { instanceId } = this.claimed.publish;
    if (outcome.environments.length > 0) await this.ports.devices.setEnvironments(instanceId, outcome.environments);
    const removed = await this.ports.gone.judged({ instanceId, platform: this.current.platform }, outcome);
    if (removed === 0) return;
    this.current = { ...this.current, removed: this.current.removed + removed };
    this.hasRemoved = true;
  }

  /** Returns the deferred devices to try again; those whose time is over count as failed. */
  private retriesOf(outcome: PageOutcome, ttlMs: number): readonly Retry[] {
    const { now, settings } = this.ports;
    const again: Retry[] = [];
    for (const [deferred, retry] of this.retries.again(outcome.later, now(), settings)) {
      const isInTime = retry.dueAt <= dueAtOf(this.claimed.publish) + ttlMs;
      if (isInTime && !this.isCrowding(deferred)) again.push(retry);
      else outcome.failed.push(deferred);
    }
    return again;
  }

  /** Whether no more devices of a stopped app may wait: they would hold up the pages, and with them the other apps. */
  private isCrowding({ reason }: DeferredDevice): boolean {
    return this.isPartial && reason === platformFault && this.retries.count >= this.ports.settings.waitingRetries;
  }

  private report(outcome: PageOutcome): void {
    const { sent, unexpected } = outcome;
    const faults = this.confirmedFaults(outcome);
    for (const fault of faults) this.fault(fault);
    if (faults.length === 0 && sent.length > 0) this.clearFault();
    if (unexpected === undefined) return;
    this.logger.error(
      `${this.claimed.publish.id}: a ${this.current.platform} send failed unexpectedly; trying again`,
      unexpected,
    );
  }

  /** The faults that several consecutive answers confirm, or for which no time is left to ask again. */
  private confirmedFaults({ faults, sent, failed }: PageOutcome) {
    const isOver = sent.length + this.current.sent === 0 && failed.some(({ reason }) => reason === platformFault);
    return [...faults].flatMap(([bundleIdentifier, message]) => {
      const confirmed = this.breakers.faultOf(bundleIdentifier) ?? (isOver ? message : undefined);
      return confirmed === undefined ? [] : [{ message: confirmed, bundleIdentifier }];
    });
  }

  private clearFault(): void {
    if (this.breakers.isOpen) return;
    this.ports.faults.clearFault(this.claimed.instance.id, this.current.platform);
    const { fault: _, ...rest } = this.current;
    this.current = rest;
  }

  private turn({ devices, last }: PartitionPage): void {
    const audience = this.current.audience + devices.length;
    this.current = { ...this.current, audience, cursor: devices.at(-1)?.id ?? this.current.cursor, paged: last };
  }

  private async save(settlement: Settlement, again: readonly Retry[]): Promise<void> {
    const waits = new Set(again.map(({ deviceId }) => deviceId));
    const settled = (settlement.retried ?? []).filter((id) => !waits.has(id));
    const { settings, now } = this.ports;
    const outcomes = settings.outcomeRetentionMs > 0 ? newOutcomes(settlement, again, now()) : undefined;
    await this.keep({ again, settled, outcomes });
  }

  private async keep(change: PartitionChange): Promise<void> {
    const { job, publish } = this.claimed;
    const saved = await this.ports.outbox.save(job, this.current, change);
    this.isRangeWanted = saved === 'wanted';
    this.hasRemoved = false;
    if (saved === 'lost') throw new LeaseLost(`${publish.id} has another owner`);
    if (saved === 'cancelled') this.claimed.onCancelled();
  }
}
