import { expect, it } from 'vitest';
import {
  type Added,
  type Cancelled,
  type DeviceReport,
  type Partition,
  type PartitionChange,
  MemoryPublishOutbox,
  type OnceKey,
  type OutcomePage,
  type OutcomeQuery,
  type Publish,
  type PublishCursor,
  type ReportCount,
  type Retry,
  type Saved,
} from 'rookery/publish';
import type { ClaimedJob } from 'rookery/jobs';
import { TypeOrmPublishOutbox } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describePublishOutbox } from '@rookery/testing';
import { brokenPromises } from './broken-promises.js';
import { describeNode } from '../support/services.js';

describeNode('MemoryPublishOutbox', () => {
  describePublishOutbox(() => new MemoryPublishOutbox());
});

describeDatabases('TypeOrmPublishOutbox', ({ database }) => {
  describePublishOutbox(async () => {
    for (const table of ['publishes', 'publish_keys', 'jobs', 'reports', 'report_counts'])
      await database().execute(`DELETE FROM rookery_${table}`);
    return new TypeOrmPublishOutbox(database());
  });
});

class AnswersRetriesTooEarly extends MemoryPublishOutbox {
  override retries(
    publishId: string,
    platform: Partition['platform'],
    _now: number,
    limit: number,
  ): Promise<readonly Retry[]> {
    return super.retries(publishId, platform, Infinity, limit);
  }
}
/** As a look-up would that is not in one transaction with what follows it. */
class AddsBothConcurrent extends MemoryPublishOutbox {
  private readonly seen = new Map<string, Promise<Added>>();
  override async add(publish: Publish, once?: OnceKey): Promise<Added> {
    const known = once && this.seen.get(once.key);
    await Promise.resolve();
    if (known) return { ...(await known), outcome: 'repeated' };
    const added = super.add(publish);
    if (once) this.seen.set(once.key, added);
    return added;
  }
}
class MixesInstances extends MemoryPublishOutbox {
  override add(publish: Publish, once?: OnceKey): Promise<Added> {
    return super.add({ ...publish, instanceId: 'same' }, once);
  }
}
class IgnoresTheBody extends MemoryPublishOutbox {
  override add(publish: Publish, once?: OnceKey): Promise<Added> {
    return super.add(publish, once && { ...once, fingerprint: 'same' });
  }
}
class KeepsKeysForever extends MemoryPublishOutbox {
  override add(publish: Publish, once?: OnceKey): Promise<Added> {
    return super.add(publish, once && { ...once, expiresAt: Infinity });
  }
}
/** As one would that has a column for the interests of the specification. */
class ForgetsCombinations extends MemoryPublishOutbox {
  override add(publish: Publish, once?: OnceKey): Promise<Added> {
    const { interests } = publish.target;
    return super.add(interests ? { ...publish, target: { interests } } : publish, once);
  }
}
class ListsTheOldestFirst extends MemoryPublishOutbox {
  override async latest(instanceId: string, limit: number, after?: PublishCursor): Promise<readonly Publish[]> {
    return (await super.latest(instanceId, limit, after)).toReversed();
  }
}
class ListsAllInstances extends MemoryPublishOutbox {
  private readonly added: Publish[] = [];
  override add(publish: Publish, once?: OnceKey): Promise<Added> {
    this.added.push(publish);
    return super.add(publish, once);
  }
  override async latest(_instanceId: string, limit: number, after?: PublishCursor): Promise<readonly Publish[]> {
    return after ? [] : this.added.toReversed().slice(0, limit);
  }
}
/** As an update would that sets no more than the mark. */
class KeepsCancelledJobsWaiting extends MemoryPublishOutbox {
  override async cancel(instanceId: string, publishId: string): Promise<Cancelled> {
    return super.cancel(instanceId, publishId, Infinity);
  }
}
class CancelsFinishedOnes extends MemoryPublishOutbox {
  override async cancel(instanceId: string, publishId: string, now: number): Promise<Cancelled> {
    const outcome = await super.cancel(instanceId, publishId, now);
    return outcome === 'finished' ? 'cancelled' : outcome;
  }
}
class EndsWithTheFirstPage extends MemoryPublishOutbox {
  override async outcomes(publishId: string, query: OutcomeQuery): Promise<OutcomePage> {
    const { devices } = await super.outcomes(publishId, query);
    return { devices };
  }
}
class ForgetsFreshOutcomes extends MemoryPublishOutbox {
  override forgetOutcomes(): Promise<number> {
    return super.forgetOutcomes(Infinity);
  }
}
class ForgetsUnfinishedOnes extends MemoryPublishOutbox {
  override async forget(): Promise<void> {
    await super.forget(await super.finishedBefore(Infinity, 100));
  }
}
/** As an update would that looks only at the id. */
class HasNoFence extends MemoryPublishOutbox {
  private readonly claims = new Map<string, ClaimedJob>();
  constructor() {
    super();
    const claim = this.jobs.claim.bind(this.jobs);
    this.jobs.claim = async (asked) => {
      const found = await claim(asked);
      for (const job of found) this.claims.set(job.id, job);
      return found;
    };
  }
  override save(job: ClaimedJob, partition: Partition, change?: PartitionChange): Promise<Saved> {
    return super.save(this.claims.get(job.id) ?? job, partition, change);
  }
}
/** As one would that looks at the claim, and not at what it is of. */
class SavesAnyPartition extends MemoryPublishOutbox {
  override save(job: ClaimedJob, partition: Partition, change?: PartitionChange): Promise<Saved> {
    return super.save({ ...job, data: partition.from ?? '' }, partition, change);
  }
}
class LosesRetries extends MemoryPublishOutbox {
  override save(job: ClaimedJob, partition: Partition): Promise<Saved> {
    return super.save(job, partition);
  }
}
class SendsAtOnce extends MemoryPublishOutbox {
  override add(publish: Publish, once?: OnceKey): Promise<Added> {
    return super.add({ ...publish, publishAt: undefined }, once);
  }
}
class AddsNoJob extends MemoryPublishOutbox {
  override async add(publish: Publish, once?: OnceKey): Promise<Added> {
    const added = await super.add(publish, once);
    const [job] = await this.jobs.claim({ ...everything, id: 'lost' });
    if (job) await this.jobs.done(job);
    return added;
  }
}
class KeepsTheJobOfTheFinished extends MemoryPublishOutbox {
  override async finish(job: ClaimedJob, now: number): Promise<boolean> {
    const isFinished = await super.finish(job, now);
    this.jobs.adding([job]);
    return isFinished;
  }
}
class CancelsOnlyWaitingOnes extends MemoryPublishOutbox {
  override async save(job: ClaimedJob, partition: Partition, change?: PartitionChange): Promise<Saved> {
    return (await super.save(job, partition, change)) === 'lost' ? 'lost' : 'saved';
  }
}
/** As a plain INSERT would that leaves what is there. */
class KeepsTheFirstOutcome extends MemoryPublishOutbox {
  override save(job: ClaimedJob, partition: Partition, change?: PartitionChange): Promise<Saved> {
    const isLater = change?.outcomes?.of === 'retries';
    return super.save(job, partition, isLater ? { ...change, outcomes: undefined } : change);
  }
}
class HidesRanges extends MemoryPublishOutbox {
  override save(job: ClaimedJob, partition: Partition, change?: PartitionChange): Promise<Saved> {
    const { handedOver, ...rest } = change ?? { again: [], settled: [] };
    const never = handedOver && { ...handedOver, dueAt: Infinity };
    return super.save(job, partition, { ...rest, handedOver: never });
  }
}
class AlwaysWantsRanges extends MemoryPublishOutbox {
  override async save(job: ClaimedJob, partition: Partition, change?: PartitionChange): Promise<Saved> {
    const saved = await super.save(job, partition, change);
    return saved === 'saved' ? 'wanted' : saved;
  }
}
class EndsWithTheFirstJob extends MemoryPublishOutbox {
  override async leave(job: ClaimedJob): Promise<readonly Partition[] | undefined> {
    await super.leave(job);
    return (await this.find('00000000-0000-4000-8000-000000000001', job.key))?.partitions;
  }
}
class NeverEnds extends MemoryPublishOutbox {
  override async leave(job: ClaimedJob): Promise<readonly Partition[] | undefined> {
    await super.leave(job);
    return undefined;
  }
}
/** As one would that counts before it ends the job, and takes no lock. */
class EndsTwice extends MemoryPublishOutbox {
  override async leave(job: ClaimedJob): Promise<readonly Partition[] | undefined> {
    const isLast = !this.jobs.hasOthers(job);
    await Promise.resolve();
    const partitions = await super.leave(job);
    return isLast ? partitions : undefined;
  }
}

class CountsReportsEachTime extends MemoryPublishOutbox {
  private times = 0;
  override report(report: DeviceReport): Promise<void> {
    return super.report({ ...report, deviceId: `${report.deviceId} ${(this.times += 1)}` });
  }
}
class KeepsReportCounts extends MemoryPublishOutbox {
  private readonly counted = new Map<string, number>();
  override async report(report: DeviceReport): Promise<void> {
    if (!(await super.isReported(report)))
      this.counted.set(report.publishId, (this.counted.get(report.publishId) ?? 0) + 1);
    await super.report(report);
  }
  override async reports(publishId: string): Promise<readonly ReportCount[]> {
    return (await super.reports(publishId)).map((one) => ({ ...one, count: this.counted.get(publishId) ?? 0 }));
  }
}
class MixesReports extends MemoryPublishOutbox {
  override report(report: DeviceReport): Promise<void> {
    return super.report({ ...report, publishId: 'same' });
  }
  override reports(): Promise<readonly ReportCount[]> {
    return super.reports('same');
  }
}
class AnswersReportsOfAll extends MemoryPublishOutbox {
  private readonly all: DeviceReport[] = [];
  override async report(report: DeviceReport): Promise<void> {
    this.all.push(report);
    await super.report(report);
  }
  override async reportsOf(publishId: string): Promise<readonly DeviceReport[]> {
    return this.all.filter((each) => each.publishId === publishId);
  }
}
class MixesReportsOfDevices extends MemoryPublishOutbox {
  override async reportsOf(publishId: string, deviceIds: readonly string[]): Promise<readonly DeviceReport[]> {
    const others = await super.reportsOf('pubid-2', deviceIds);
    return [...(await super.reportsOf(publishId, deviceIds)), ...others];
  }
}

const everything = { now: Infinity, limit: 9, perKey: 9, busy: new Set<string>(), leaseMs: 1 };
const isDueAtOnce = 'makes a cancelled publish due at once';
const leavesLast = 'gives all partitions to the last job that leaves, to finish the publish';
const hasRangeJobs = 'adds a job for a range that is handed over, and asks for no other range until it is claimed';

describeNode('the contract of PublishOutbox rejects an implementation that', () => {
  it.each([
    [ListsTheOldestFirst, 'lists the publishes of an instance, the newest first, page by page, each once'],
    [ListsAllInstances, 'lists the publishes of an instance, the newest first, page by page, each once'],
    [AddsNoJob, 'adds a job for a publish, due at once'],
    [KeepsTheJobOfTheFinished, 'removes the jobs of a finished publish'],
    [HasNoFence, 'refuses writes of a stale claim'],
    [LosesRetries, 'answers the due retries of a partition, the earliest first'],
    [AnswersRetriesTooEarly, 'answers the due retries of a partition, the earliest first'],
    [AddsBothConcurrent, 'adds exactly one of several concurrent requests with a key'],
    [MixesInstances, 'isolates the keys of instances'],
    [IgnoresTheBody, 'refuses a key that was used for another body'],
    [ForgetsCombinations, 'keeps how interests are combined, for every process that works on the publish'],
    [KeepsKeysForever, 'forgets a key when it expires'],
    [SendsAtOnce, 'keeps a scheduled publish until its time'],
    [CancelsOnlyWaitingOnes, 'reports a cancellation to the run when it saves'],
    [KeepsCancelledJobsWaiting, isDueAtOnce],
    [KeepsCancelledJobsWaiting, 'makes a cancelled publish due at once when it is released'],
    [CancelsFinishedOnes, 'cancels neither finished publishes nor those of another instance'],
    [KeepsTheFirstOutcome, 'keeps the outcome of each device with its page, and later ones'],
    [EndsWithTheFirstPage, 'answers outcomes in pages'],
    [HasNoFence, 'keeps no outcomes of a stale owner'],
    [ForgetsFreshOutcomes, 'forgets only old outcomes'],
    [HidesRanges, hasRangeJobs],
    [AlwaysWantsRanges, hasRangeJobs],
    [HidesRanges, 'counts a publish and its waiting ranges once'],
    [SavesAnyPartition, 'fences a range by its own job'],
    [EndsWithTheFirstJob, leavesLast],
    [EndsWithTheFirstJob, 'treats exactly one of several jobs that leave concurrently as the last'],
    [EndsTwice, 'treats exactly one of several jobs that leave concurrently as the last'],
    [NeverEnds, leavesLast],
    [CancelsOnlyWaitingOnes, 'reports a cancellation to all runs of a publish'],
    [KeepsCancelledJobsWaiting, 'reports a cancellation to all runs of a publish'],
    [ForgetsUnfinishedOnes, 'forgets only old, finished publishes'],
    [CountsReportsEachTime, 'counts a report once, even if it is repeated or concurrent'],
    [KeepsReportCounts, 'forgets a publish with many reports, and counts later ones from zero'],
    [AnswersReportsOfAll, 'answers what some devices have reported on a publish'],
    [MixesReportsOfDevices, 'answers what some devices have reported on a publish'],
    [MixesReports, 'isolates the reports of publishes, and forgets those of the given ones'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describePublishOutbox, () => new Broken())).toContain(promise);
  });
});
