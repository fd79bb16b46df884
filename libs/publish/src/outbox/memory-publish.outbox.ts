import { Injectable } from '@nestjs/common';
import { type ClaimedJob, MemoryJobStore, noTransaction, type Within } from 'rookery/jobs';
import type { Publish } from '../publish.js';
import type { OutcomePage, OutcomeQuery } from './device-outcome.js';
import { type Partition, partitionName, type Retry } from './partition.js';
import { begun, isPartitionOfJob, publishJob, rangeJob } from './publish-jobs.js';
import type { DeviceReport, ReportCount } from './device-report.js';
import { MemoryOutcomes } from './memory-outcomes.js';
import { MemoryReports } from './memory-reports.js';
import {
  type Added,
  type Cancelled,
  type PartitionChange,
  type OnceKey,
  PublishOutbox,
  type PublishCursor,
  type PublishRecord,
  type Saved,
  type WaitingRetries,
} from './publish.outbox.js';

interface StoredPublish {
  readonly publish: Publish;
  readonly partitions: Map<string, Partition>;
  readonly retries: Map<string, Map<string, Retry>>;
  cancelledAt?: number;
  finishedAt?: number;
}

/** In memory: for one process; unsent publishes are lost on restart. */
@Injectable()
export class MemoryPublishOutbox extends PublishOutbox {
  readonly jobs = new MemoryJobStore({ maxBytes: Infinity });
  private readonly entries = new Map<string, StoredPublish>();
  private readonly deviceOutcomes = new MemoryOutcomes();
  private readonly deviceReports = new MemoryReports();
  private readonly keys = new Map<string, OnceKey & { readonly publishId: string }>();

  async add(publish: Publish, once?: OnceKey, within?: Within): Promise<Added> {
    if (within) throw noTransaction('PublishModule', 'PublishModule.forRoot({ publishOutbox: TypeOrmPublishOutbox })');
    const known = once && this.known(publish, once);
    if (known) return known;
    if (once) this.keys.set(keyOf(publish, once), { ...once, publishId: publish.id });
    this.entries.set(publish.id, { publish, partitions: new Map(), retries: new Map() });
    this.jobs.adding([publishJob(publish)]);
    return { outcome: 'added', publishId: publish.id };
  }

  private known(publish: Publish, once: OnceKey): Added | undefined {
    const first = this.keys.get(keyOf(publish, once));
    if (!first || first.expiresAt <= publish.createdAt) return undefined;
    return { outcome: first.fingerprint === once.fingerprint ? 'repeated' : 'conflict', publishId: first.publishId };
  }

  async save(job: ClaimedJob, partition: Partition, change?: PartitionChange): Promise<Saved> {
    const entry = this.entries.get(job.key);
    if (!entry || !this.jobs.isHeld(job) || !isPartitionOfJob(job, partition)) return 'lost';
    entry.partitions.set(partitionName(partition), partition);
    const waiting = entry.retries.get(partitionName(partition)) ?? new Map<string, Retry>();
    for (const deviceId of change?.settled ?? []) waiting.delete(deviceId);
    for (const retry of change?.again ?? []) waiting.set(retry.deviceId, retry);
    entry.retries.set(partitionName(partition), waiting);
    if (change?.outcomes) this.deviceOutcomes.add(job.key, change.outcomes);
    if (change?.handedOver) {
      const { partition: range, dueAt } = change.handedOver;
      entry.partitions.set(partitionName(range), range);
      this.jobs.adding([rangeJob(job, range, dueAt)]);
    }
    if (entry.cancelledAt !== undefined) return 'cancelled';
    return this.jobs.waiting(job.key).some(({ state }) => state !== begun) ? 'saved' : 'wanted';
  }

  async leave(job: ClaimedJob): Promise<readonly Partition[] | undefined> {
    if (!this.jobs.isHeld(job)) return undefined;
    if (!this.jobs.hasOthers(job)) return [...(this.entries.get(job.key)?.partitions.values() ?? [])];
    this.jobs.ending(job);
    return undefined;
  }

  async finish(job: ClaimedJob, now: number): Promise<boolean> {
    const entry = this.entries.get(job.key);
    if (!entry || this.jobs.hasOthers(job) || !this.jobs.ending(job)) return false;
    entry.finishedAt = now;
    entry.retries.clear();
    return true;
  }

  async cancel(instanceId: string, publishId: string, now: number): Promise<Cancelled> {
    const entry = this.entries.get(publishId);
    if (entry?.publish.instanceId !== instanceId) return 'unknown';
    if (entry.cancelledAt !== undefined) return 'cancelled';
    if (entry.finishedAt !== undefined) return 'finished';
    entry.cancelledAt = now;
    this.jobs.hurry(publishId, now);
    return 'cancelled';
  }

  async retries(publishId: string, partition: string, now: number, limit: number): Promise<readonly Retry[]> {
    const waiting = [...(this.entries.get(publishId)?.retries.get(partition)?.values() ?? [])];
    return waiting
      .filter(({ dueAt }) => dueAt <= now)
      .sort((one, other) => one.dueAt - other.dueAt)
      .slice(0, limit);
  }

  async waiting(publishId: string): Promise<readonly WaitingRetries[]> {
    return [...(this.entries.get(publishId)?.retries ?? [])]
      .filter(([, retries]) => retries.size > 0)
      .map(([partition, retries]) => ({
        partition,
        count: retries.size,
        dueAt: [...retries.values()].reduce((first, { dueAt }) => Math.min(first, dueAt), Infinity),
      }));
  }

  async find(instanceId: string, publishId: string): Promise<PublishRecord | undefined> {
    const entry = this.entries.get(publishId);
    if (entry?.publish.instanceId !== instanceId) return undefined;
    const { publish, partitions, cancelledAt, finishedAt } = entry;
    return {
      publish,
      partitions: [...partitions.values()],
      ...(cancelledAt === undefined ? {} : { cancelledAt }),
      ...(finishedAt === undefined ? {} : { finishedAt }),
    };
  }

  async knows(instanceId: string, publishId: string): Promise<boolean> {
    return this.entries.get(publishId)?.publish.instanceId === instanceId;
  }

  async latest(instanceId: string, limit: number, after?: PublishCursor): Promise<readonly Publish[]> {
    return Array.from(this.entries.values(), ({ publish }) => publish)
      .filter((publish) => publish.instanceId === instanceId && (!after || isNewer(after, publish)))
      .toSorted((left, right) => (isNewer(left, right) ? -1 : 1))
      .slice(0, limit);
  }

  async finishedBefore(time: number, limit: number): Promise<readonly string[]> {
    return [...this.entries.values()]
      .filter(({ finishedAt }) => finishedAt !== undefined && finishedAt < time)
      .slice(0, limit)
      .map(({ publish }) => publish.id);
  }

  async forget(publishIds: readonly string[]): Promise<void> {
    for (const id of publishIds) {
      this.entries.delete(id);
      this.deviceOutcomes.forget(id);
      this.deviceReports.forget(id);
    }
  }

  async outcomes(publishId: string, query: OutcomeQuery): Promise<OutcomePage> {
    return this.deviceOutcomes.page(publishId, query);
  }

  async forgetOutcomes(before: number): Promise<number> {
    return this.deviceOutcomes.forgetBefore(before);
  }

  async forgetKeys(now: number): Promise<void> {
    for (const [key, { expiresAt }] of this.keys) if (expiresAt <= now) this.keys.delete(key);
  }

  async report(report: DeviceReport): Promise<void> {
    this.deviceReports.add(report);
  }

  async isReported(report: DeviceReport): Promise<boolean> {
    return this.deviceReports.has(report);
  }

  async reports(publishId: string): Promise<readonly ReportCount[]> {
    return this.deviceReports.counts(publishId);
  }

  async reportsOf(publishId: string, deviceIds: readonly string[]): Promise<readonly DeviceReport[]> {
    return this.deviceReports.of(publishId, deviceIds);
  }
}

const keyOf = (publish: Publish, { key }: OnceKey): string => JSON.stringify([publish.instanceId, key]);

const isNewer = (one: PublishCursor, other: PublishCursor): boolean =>
  one.createdAt === other.createdAt ? one.id > other.id : one.createdAt > other.createdAt;
