import { Injectable } from '@nestjs/common';
import type { ClaimedJob, Within } from 'rookery/jobs';
import {
  type Added,
  begun,
  type Cancelled,
  type DeviceOutcome,
  type DeviceReport,
  isPartitionOfJob,
  type Partition,
  type PartitionChange,
  partitionName,
  type OnceKey,
  type OutcomePage,
  type OutcomeQuery,
  type Publish,
  publishJob,
  PublishOutbox,
  type PublishCursor,
  type PublishRecord,
  rangeJob,
  type ReportCount,
  type Retry,
  type Saved,
  type WaitingRetries,
} from 'rookery/publish';
import { platforms } from 'rookery/push-device';
import { type Document, DocumentStore, folder, ordered, path } from '../store/document.store.js';
import { Transaction } from '../store/transaction.js';
import { StoredJobStore } from './job.store.js';

type Accepted = OnceKey & { readonly publishId: string };
type Outcome = DeviceOutcome & { readonly at: number };
type WaitingRetry = Retry & { readonly partition: string };

const publishPath = (id: string) => path('publishes', id);
const progressPath = (id: string) => path('publish-progress', id);
const retriesOf = (id: string) => folder('publish-retries', id);
const outcomesOf = (id: string) => folder('publish-outcomes', id);
const reportsOf = (id: string) => folder('publish-reports', id);
const allOutcomes = folder('publish-outcomes');
const finished = folder('publish-finished');
const keys = folder('publish-keys');
const pageSize = 1000;

/** The newest come first, and of one moment those with the greatest ids. */
const placeOf = ({ instanceId, createdAt, id }: PublishCursor & Pick<Publish, 'instanceId'>): string =>
  folder('publishes-of', instanceId) + ordered(1e15 - createdAt) + path(inverted(id));

/** The same text with its order turned round; ids are of small letters, digits and `-`. */
const inverted = (id: string): string => Buffer.from(Buffer.from(id).map((byte) => 255 - byte)).toString('hex');

/** How far a publish is. Every write of a run reads it, and checks its claim of the job. */
interface Progress extends Pick<PublishRecord, 'cancelledAt' | 'finishedAt' | 'partitions'> {
  /** The ids of its jobs that are not done. */
  readonly jobs: readonly string[];
}

/** A document for each publish, one for how far it is, and its jobs in a JobStore of the same documents. */
@Injectable()
export class StoredPublishOutbox extends PublishOutbox {
  readonly jobs: StoredJobStore;

  constructor(private readonly store: DocumentStore) {
    super();
    this.jobs = new StoredJobStore(store, 'publish-jobs');
  }

  /** Within a transaction of the host on the same store, it is committed together with the host's work. */
  async add(publish: Publish, once?: OnceKey, within?: Within): Promise<Added> {
    const { transaction, committed } = within ?? {};
    const work = (documents: Transaction) => this.adding(documents, publish, once);
    if (!transaction) return this.store.transact(work);
    if (!(transaction instanceof Transaction)) throw new TypeError('This is not a transaction of the DocumentStore');
    if (committed) transaction.onCommit(committed);
    return work(transaction);
  }

  private async adding(documents: Transaction, publish: Publish, once?: OnceKey): Promise<Added> {
    const key = once && keys + path(publish.instanceId, once.key);
    const first = key && (await documents.get<Accepted>(key));
    if (once && first && first.expiresAt > publish.createdAt) {
      const outcome = first.fingerprint === once.fingerprint ? 'repeated' : 'conflict';
      return { outcome, publishId: first.publishId };
    }
    if (key) documents.set(key, { ...once, publishId: publish.id });
    documents.set(publishPath(publish.id), publish);
    documents.set(placeOf(publish), publish.id);
    await this.jobs.adding(documents, [publishJob(publish)]);
    documents.set(progressPath(publish.id), { partitions: [], jobs: [publish.id] } satisfies Progress);
    return { outcome: 'added', publishId: publish.id };
  }

  async save(job: ClaimedJob, partition: Partition, change?: PartitionChange): Promise<Saved> {
    return this.store.transact<Saved>(async (documents) => {
      const [publishId, progress] = [job.key, await documents.get<Progress>(progressPath(job.key))];
      if (!progress || !isPartitionOfJob(job, partition) || !(await this.jobs.isHeld(documents, job))) return 'lost';
      const retries = folder('publish-retries', publishId, partitionName(partition));
      for (const deviceId of change?.settled ?? []) documents.remove(retries + path(deviceId));
      for (const retry of change?.again ?? [])
        documents.set(retries + path(retry.deviceId), {
          ...retry,
          partition: partitionName(partition),
        } satisfies WaitingRetry);
      const { at = 0, devices = [] } = change?.outcomes ?? {};
      for (const device of devices)
        documents.set(outcomesOf(publishId) + path(device.deviceId), { ...device, at } satisfies Outcome);
      let next = withPartition(progress, partition);
      if (change?.handedOver) {
        const range = rangeJob(job, change.handedOver.partition, change.handedOver.dueAt);
        await this.jobs.adding(documents, [range]);
        next = { ...withPartition(next, change.handedOver.partition), jobs: [...next.jobs, range.id] };
      }
      documents.set(progressPath(publishId), next);
      if (progress.cancelledAt !== undefined) return 'cancelled';
      for (const id of next.jobs)
        if (((await this.jobs.unheld(documents, id))?.state ?? begun) !== begun) return 'saved';
      return 'wanted';
    });
  }

  leave(job: ClaimedJob): Promise<readonly Partition[] | undefined> {
    return this.store.transact(async (documents) => {
      const progress = await documents.get<Progress>(progressPath(job.key));
      if (!progress || !(await this.jobs.isHeld(documents, job))) return undefined;
      const jobs = progress.jobs.filter((id) => id !== job.id);
      if (jobs.length === 0) return progress.partitions;
      await this.jobs.ending(documents, job);
      documents.set(progressPath(job.key), { ...progress, jobs });
      return undefined;
    });
  }

  finish(job: ClaimedJob, now: number): Promise<boolean> {
    return this.store.transact(async (documents) => {
      const progress = await documents.get<Progress>(progressPath(job.key));
      if (progress?.jobs.length !== 1 || !(await this.jobs.ending(documents, job))) return false;
      for (const { id } of await documents.list(retriesOf(job.key))) documents.remove(id);
      documents.set(finished + path(ordered(now), job.key), job.key);
      documents.set(progressPath(job.key), { ...progress, jobs: [], finishedAt: now });
      return true;
    });
  }

  cancel(instanceId: string, publishId: string, now: number): Promise<Cancelled> {
    return this.store.transact(async (documents) => {
      const publish = await documents.get<Publish>(publishPath(publishId));
      const progress = await documents.get<Progress>(progressPath(publishId));
      if (publish?.instanceId !== instanceId || !progress) return 'unknown';
      if (progress.cancelledAt !== undefined) return 'cancelled';
      if (progress.finishedAt !== undefined) return 'finished';
      documents.set(progressPath(publishId), { ...progress, cancelledAt: now });
      for (const id of progress.jobs) await this.jobs.hurrying(documents, id, now);
      return 'cancelled';
    });
  }

  async retries(publishId: string, partition: string, now: number, limit: number): Promise<readonly Retry[]> {
    const waiting = await this.store.list<WaitingRetry>(folder('publish-retries', publishId, partition));
    return waiting
      .map(({ value: { deviceId, attempts, dueAt } }) => ({ deviceId, attempts, dueAt }))
      .filter(({ dueAt }) => dueAt <= now)
      .toSorted((one, other) => one.dueAt - other.dueAt)
      .slice(0, limit);
  }

  async waiting(publishId: string): Promise<readonly WaitingRetries[]> {
    const partitions = new Map<string, WaitingRetries>();
    for (const { value } of await this.store.list<WaitingRetry>(retriesOf(publishId))) {
      const { partition, dueAt } = value;
      const before = partitions.get(partition) ?? { count: 0, dueAt };
      partitions.set(partition, { partition, count: before.count + 1, dueAt: Math.min(before.dueAt, dueAt) });
    }
    return [...partitions.values()];
  }

  find(instanceId: string, publishId: string): Promise<PublishRecord | undefined> {
    return this.store.transact(async (documents) => {
      const publish = await documents.get<Publish>(publishPath(publishId));
      const progress = await documents.get<Progress>(progressPath(publishId));
      if (publish?.instanceId !== instanceId || !progress) return undefined;
      const { jobs: _, ...rest } = progress;
      return { publish, ...rest };
    });
  }

  async knows(instanceId: string, publishId: string): Promise<boolean> {
    return (await this.store.read<Publish>(publishPath(publishId)))?.value.instanceId === instanceId;
  }

  async latest(instanceId: string, limit: number, after?: PublishCursor): Promise<readonly Publish[]> {
    const of = folder('publishes-of', instanceId);
    const from = after ? placeOf({ ...after, instanceId }).slice(of.length) : '';
    const named = await this.store.list<string>(of, from, limit);
    const found = await Promise.all(named.map(({ value }) => this.store.read<Publish>(publishPath(value))));
    return found.flatMap((document) => (document ? [document.value] : []));
  }

  async finishedBefore(time: number, limit: number): Promise<readonly string[]> {
    const earliest = await this.store.list<string>(finished, '', limit);
    return earliest.filter(({ id }) => id < finished + ordered(time)).map(({ value }) => value);
  }

  async forget(publishIds: readonly string[]): Promise<void> {
    for (const id of publishIds)
      await this.store.transact(async (documents) => {
        const progress = await documents.get<Progress>(progressPath(id));
        if (progress?.finishedAt !== undefined) documents.remove(finished + path(ordered(progress.finishedAt), id));
        const publish = await documents.get<Publish>(publishPath(id));
        if (publish) documents.remove(placeOf(publish));
        for (const each of [publishPath(id), progressPath(id)]) documents.remove(each);
        for (const list of [retriesOf(id), outcomesOf(id), reportsOf(id)])
          for (const each of await documents.list(list)) documents.remove(each.id);
      });
  }

  async outcomes(publishId: string, { after, limit, outcome }: OutcomeQuery): Promise<OutcomePage> {
    const page = await this.store.list<Outcome>(outcomesOf(publishId), after, limit);
    const devices = page
      .filter(({ value }) => value.outcome === (outcome ?? value.outcome))
      .map(({ value }) => outcomeOf(value));
    return page.length < limit ? { devices } : { devices, next: page.at(-1)!.value.deviceId };
  }

  async forgetOutcomes(before: number): Promise<number> {
    for (let after: string | undefined = ''; after !== undefined;) {
      const page: readonly Document<Outcome>[] = await this.store.list<Outcome>(allOutcomes, after, pageSize);
      const old = page.filter(({ value }) => value.at < before).map(({ id }) => ({ id }));
      await this.store.commit(new Map(), old);
      if (old.length > 0) return old.length;
      after = page.at(-1)?.id.slice(allOutcomes.length);
    }
    return 0;
  }

  async forgetKeys(now: number): Promise<void> {
    for (const { id, version, value } of await this.store.list<Accepted>(keys))
      if (value.expiresAt <= now) await this.store.commit(new Map([[id, version]]), [{ id }]);
  }

  async report(report: DeviceReport): Promise<void> {
    const { platform, event } = report;
    await this.store.commit(new Map(), [{ id: byDevice(report), value: { platform, event } }]);
  }

  async isReported(report: DeviceReport): Promise<boolean> {
    return (await this.store.read(byDevice(report))) !== undefined;
  }

  async reports(publishId: string): Promise<readonly ReportCount[]> {
    const counts = new Map<string, ReportCount>();
    for (const { value } of await this.store.list<Omit<ReportCount, 'count'>>(reportsOf(publishId))) {
      const name = `${value.platform} ${value.event}`;
      counts.set(name, { ...value, count: (counts.get(name)?.count ?? 0) + 1 });
    }
    return [...counts.values()];
  }

  async reportsOf(publishId: string, deviceIds: readonly string[]): Promise<readonly DeviceReport[]> {
    const all = deviceIds.flatMap((deviceId) =>
      platforms.flatMap((platform) =>
        (['delivery', 'open'] as const).map((event) => ({ publishId, deviceId, platform, event })),
      ),
    );
    const known = await Promise.all(all.map((report) => this.isReported(report)));
    return all.filter((_, i) => known[i]);
  }
}

/** The id of a report has all its content, so a repeated report is the same document. */
const byDevice = ({ publishId, platform, event, deviceId }: DeviceReport): string =>
  reportsOf(publishId) + path(platform, event, deviceId);

const withPartition = (progress: Progress, partition: Partition): Progress => ({
  ...progress,
  partitions: [...progress.partitions.filter((each) => partitionName(each) !== partitionName(partition)), partition],
});

const outcomeOf = ({ deviceId, outcome, reason }: Outcome): DeviceOutcome => ({
  deviceId,
  outcome,
  ...(reason === undefined ? {} : { reason }),
});
