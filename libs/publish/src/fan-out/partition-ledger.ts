import { Logger } from '@nestjs/common';
import type { DeviceAddress } from 'rookery/push-device';
import { type Partition, partitionName, type Retry } from '../outbox/partition.js';
import type { PartitionChange, WaitingRetries } from '../outbox/publish.outbox.js';
import { dueAtOf } from '../publish.js';
import type { FanOutPorts } from './fan-out.ports.js';
import type { ClaimedPublish } from './claimed-publish.js';
import type { CircuitBreaker } from './circuit-breaker.js';
import { LeaseLost } from './lease-lost.js';
import type { PartitionPage } from './partition-pages.js';
import { newOutcomes } from './new-outcomes.js';
import { type PageOutcome, platformFault } from './page-outcome.js';
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
}

/** Maintains one platform's part of a publish: its counts, its cursor, its retries. It saves at every settlement. */
export class PartitionLedger {
  readonly retries: RetryQueue;
  /** Whether another range can be handed over, according to the last save. */
  isRangeWanted = false;
  private readonly breaker: CircuitBreaker;
  private readonly logger = new Logger('Fan-out');

  constructor(
    private readonly ports: FanOutPorts,
    private readonly claimed: ClaimedPublish,
    private current: Partition,
    waiting: WaitingRetries | undefined,
  ) {
    this.retries = new RetryQueue(ports.outbox, claimed.publish.id, partitionName(current), waiting);
    this.breaker = ports.breakerOf(claimed.instance.id, current.platform);
  }

  get partition(): Partition {
    return this.current;
  }

  /**
   * Records that nothing can be sent on the platform. Logged once, and stored with the publish until a send succeeds.
   */
  fault(message: string): void {
    this.current = { ...this.current, fault: message };
    this.ports.faults.fault(this.claimed.instance.id, this.current.platform, this.claimed.publish.id, message);
  }

  /** Leaves `range` to another worker. */
  async handOver(range: Partition): Promise<void> {
    this.current = { ...this.current, to: range.from };
    const handedOver = { partition: range, dueAt: this.ports.now() };
    await this.keep({ again: [], settled: [], handedOver });
  }

  /** @param ttlMs - how long after the publish a deferred device is worth another try */
  async settle(settlement: Settlement, ttlMs: number): Promise<void> {
    const { outcome, page, retried = [], late = [] } = settlement;
    const deferred = this.retriesOf(outcome, ttlMs);
    this.ports.metrics.page(this.claimed.instance.id, this.current.platform, outcome, deferred.length);
    const again = [...deferred, ...late.map(({ id }) => this.retries.late(id, this.ports.now()))];
    this.report(outcome);
    if (page) this.turn(page);
    this.current = tally(this.current, outcome, this.claimed.publish.audience);
    await this.save(settlement, again);
    // Only after saving, because only the owner of the publish can save.
    const { instanceId, id: publishId } = this.claimed.publish;
    const { sent, gone } = outcome;
    await this.ports.guard.page({ instanceId, platform: this.current.platform }, { publishId, sent, gone });
    const isLate = new Set(late.map(({ id }) => id));
    const changed = again.length > 0 || retried.length > 0;
    if (changed) await this.retries.refresh(retried.filter((id) => !isLate.has(id)));
  }

  /** Returns the deferred devices to try again; those whose time is over count as failed. */
  private retriesOf(outcome: PageOutcome, ttlMs: number): readonly Retry[] {
    const { now, settings } = this.ports;
    const again: Retry[] = [];
    for (const [deferred, retry] of this.retries.again(outcome.later, now(), settings)) {
      if (retry.dueAt <= dueAtOf(this.claimed.publish) + ttlMs) again.push(retry);
      else outcome.failed.push(deferred);
    }
    return again;
  }

  private report(outcome: PageOutcome): void {
    const { sent, unexpected } = outcome;
    const fault = this.believed(outcome);
    if (fault !== undefined) this.fault(fault);
    else if (sent.length > 0) this.works();
    if (unexpected === undefined) return;
    this.logger.error(
      `${this.claimed.publish.id}: a ${this.current.platform} send failed unexpectedly; trying again`,
      unexpected,
    );
  }

  /** The fault, if several consecutive answers confirm it, or if no time is left to ask again. */
  private believed({ fault, sent, failed }: PageOutcome): string | undefined {
    if (fault === undefined) return undefined;
    const isOver = sent.length + this.current.sent === 0 && failed.some(({ reason }) => reason === platformFault);
    return this.breaker.fault ?? (isOver ? fault : undefined);
  }

  private works(): void {
    if (this.breaker.fault !== undefined) return;
    this.ports.faults.works(this.claimed.instance.id, this.current.platform);
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
    if (saved === 'lost') throw new LeaseLost(`${publish.id} has another owner`);
    if (saved === 'cancelled') this.claimed.onCancelled();
  }
}
