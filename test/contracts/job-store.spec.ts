import { expect, it } from 'vitest';
import {
  type ClaimedJob,
  type DeadJob,
  type DeadJobLimits,
  type Death,
  type FreshJob,
  type Job,
  type JobBacklog,
  type JobClaim,
  MemoryJobStore,
} from 'rookery/jobs';
import { TypeOrmJobStore } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describeJobStore } from '@rookery/testing';
import { brokenPromises } from './broken-promises.js';
import { describeNode } from '../support/services.js';

describeNode('MemoryJobStore', () => {
  describeJobStore(() => new MemoryJobStore());
});

const job: Job = { id: 'one', owner: 'app', key: 'key', dueAt: 1, data: '', state: '' };
const claim: JobClaim = { id: 'claim', now: 1, limit: 9, perKey: 9, busy: new Set(), leaseMs: 1 };

describeDatabases('TypeOrmJobStore', ({ database }) => {
  const empty = async (): Promise<void> => {
    await database().execute('DELETE FROM rookery_jobs');
    await database().execute('DELETE FROM rookery_dead_jobs');
    await database().execute('DELETE FROM rookery_dropped_dead_jobs');
  };

  describeJobStore(async () => {
    await empty();
    return new TypeOrmJobStore(database());
  });

  it('isolates the queues of two modules, even with equal ids', async () => {
    await empty();
    const queues = ['push', 'channels'].map((name) => TypeOrmJobStore.named(name).useFactory(database()));
    for (const [index, queue] of queues.entries()) await queue.add([{ ...job, data: String(index) }]);
    for (const [index, queue] of queues.entries())
      expect(await queue.claim(claim)).toEqual([{ ...job, data: String(index), claimId: 'claim' }]);
  });

  it('adds jobs in a transaction of the host, or not at all', async () => {
    await empty();
    const store = new TypeOrmJobStore(database());
    let told = 0;
    const committed = () => (told += 1);
    const { dataSource } = database();
    const undone = dataSource.transaction(async (transaction) => {
      await store.add([job], { transaction, committed });
      throw new Error('sold out');
    });
    await expect(undone).rejects.toThrow('sold out');
    expect([await store.claim(claim), told]).toEqual([[], 0]);
    await dataSource.transaction((transaction) => store.add([job], { transaction, committed }));
    expect([(await store.claim(claim)).length, told]).toEqual([1, 1]);
    await expect(store.add([job], { transaction: {}, committed })).rejects.toThrow('within must be');
  });
});

class ClaimsTwice extends MemoryJobStore {
  override claim(claim: JobClaim) {
    return super.claim({ ...claim, leaseMs: 0 });
  }
}
class ForgetsLeases extends MemoryJobStore {
  override claim(claim: JobClaim) {
    return super.claim({ ...claim, leaseMs: Infinity });
  }
}
class IgnoresBusy extends MemoryJobStore {
  override claim(claim: JobClaim) {
    return super.claim({ ...claim, busy: new Set() });
  }
}
class IgnoresTheLimitPerKey extends MemoryJobStore {
  override claim(claim: JobClaim) {
    return super.claim({ ...claim, perKey: Infinity });
  }
}
class ClaimsTooEarly extends MemoryJobStore {
  override claim(claim: JobClaim) {
    return super.claim({ ...claim, now: claim.now + 1 });
  }
}
/** As a query with a limit would, that is filtered afterwards. */
class ChecksOnlyTheFirst extends MemoryJobStore {
  override async claim(claim: JobClaim) {
    return (await super.claim({ ...claim, busy: new Set() })).filter(({ key }) => !claim.busy.has(key));
  }
}
class LastFirst extends MemoryJobStore {
  override async claim(claim: JobClaim) {
    return (await super.claim(claim)).toReversed();
  }
}
class NeverRenews extends MemoryJobStore {
  override async renew(job: ClaimedJob) {
    return this.isHeld(job);
  }
}
class RenewsForAnyClaim extends MemoryJobStore {
  override async renew(job: ClaimedJob, leasedUntil: number) {
    await super.renew(job, leasedUntil);
    return true;
  }
}
class KeepsTheState extends MemoryJobStore {
  override retry(job: ClaimedJob, dueAt: number) {
    return super.retry(job, dueAt);
  }
}
class ForgetsTheState extends MemoryJobStore {
  override retry(job: ClaimedJob, dueAt: number, state = '') {
    return super.retry(job, dueAt, state);
  }
}
class RetriesAtOnce extends MemoryJobStore {
  override retry(job: ClaimedJob, _dueAt: number, state?: string) {
    return super.retry(job, 0, state);
  }
}
class NeverDone extends MemoryJobStore {
  override async done() {}
}
class HasNoFence extends MemoryJobStore {
  private readonly holders = new Map<string, string>();
  override async claim(claim: JobClaim) {
    const found = await super.claim(claim);
    for (const { id } of found) this.holders.set(id, claim.id);
    return found;
  }
  override done(job: ClaimedJob) {
    return super.done({ ...job, claimId: this.holders.get(job.id) ?? '' });
  }
}
class AddsAgain extends MemoryJobStore {
  override add(jobs: readonly Job[]) {
    return super.add(jobs.map((job, index) => ({ ...job, id: `${job.id} ${index}` })));
  }
}
class BuriesNothing extends MemoryJobStore {
  override bury(job: ClaimedJob) {
    return super.done(job);
  }
}
class RefusesSomeReasons extends MemoryJobStore {
  override async bury(job: ClaimedJob, death: Death, limits: DeadJobLimits) {
    if (death.reason.includes('\0')) throw new Error('invalid byte sequence');
    await super.bury(job, death, limits);
  }
}
class BuriesForAnyClaim extends MemoryJobStore {
  override async bury(job: ClaimedJob, death: Death, limits: DeadJobLimits) {
    await super.add([job]);
    await super.claim({ ...claim, id: job.claimId, now: Infinity, limit: 1 });
    await super.bury(job, death, limits);
  }
}
class KeepsAllDeadJobs extends MemoryJobStore {
  override bury(job: ClaimedJob, death: Death) {
    return super.bury(job, death, { most: Infinity, maxBytes: Infinity, keepMs: Infinity });
  }
}
class ShowsDeadJobsOfAll extends MemoryJobStore {
  override async dead(_owner: string, after: string, limit: number): Promise<readonly DeadJob[]> {
    return [...(await super.dead('app', after, limit)), ...(await super.dead('other', after, limit))];
  }
}
class IgnoresTheCursor extends MemoryJobStore {
  override dead(owner: string) {
    return super.dead(owner, '', Infinity);
  }
}
class ShowsTheOldestAsLatest extends MemoryJobStore {
  override latestDead(owner: string, _before: string, limit: number) {
    return super.dead(owner, '', limit);
  }
}
class IgnoresTheCursorBackwards extends MemoryJobStore {
  override latestDead(owner: string, _before: string, limit: number) {
    return super.latestDead(owner, '', limit);
  }
}
class CountsDeadJobsOfAll extends MemoryJobStore {
  override async deadCounts() {
    const [app, other] = [await super.deadCounts('app'), await super.deadCounts('other')];
    return { kept: app.kept + other.kept, dropped: app.dropped };
  }
}
class KeepsDeadJobsOfAnySize extends MemoryJobStore {
  override bury(job: ClaimedJob, death: Death, limits: DeadJobLimits) {
    return super.bury(job, death, { ...limits, maxBytes: Infinity });
  }
}
class CountsNoDrops extends MemoryJobStore {
  override async deadCounts(owner: string) {
    return { ...(await super.deadCounts(owner)), dropped: 0 };
  }
}
class RemembersDropsForEver extends MemoryJobStore {
  private most = 0;
  override async deadCounts(owner: string) {
    const counts = await super.deadCounts(owner);
    if (owner === 'app') this.most = Math.max(this.most, counts.dropped);
    return { ...counts, dropped: owner === 'app' ? this.most : counts.dropped };
  }
}
class ResendsOfAnyOwner extends MemoryJobStore {
  override async resend(_owner: string, ids: readonly string[], fresh: FreshJob) {
    return (await super.resend('app', ids, fresh)) + (await super.resend('other', ids, fresh));
  }
}
class ResendsTwice extends MemoryJobStore {
  override async resend(owner: string, ids: readonly string[], fresh: FreshJob) {
    const dead = (await super.dead(owner, '', Infinity)).filter(({ job: { id } }) => ids.includes(id));
    await super.add(dead.map((one) => ({ ...one.job, ...fresh })));
    return dead.length;
  }
}
class ResendsWithOldState extends MemoryJobStore {
  override async resend(owner: string, ids: readonly string[], fresh: FreshJob) {
    return super.resend(owner, ids, { dueAt: fresh.dueAt } as FreshJob);
  }
}
class CountsOnlyDueJobs extends MemoryJobStore {
  override async size(): Promise<number> {
    return (await super.backlog(Infinity)).dueKeys;
  }
}
class CountsClaimedAges extends MemoryJobStore {
  override async backlog(now: number): Promise<JobBacklog> {
    return { oldestDueAt: now, ...(await super.backlog(now)) };
  }
}
class CountsJobsAsKeys extends MemoryJobStore {
  override async backlog(now: number): Promise<JobBacklog> {
    const backlog = await super.backlog(now);
    return { ...backlog, dueKeys: backlog.dueKeys && (await this.size()) };
  }
}
class BuriesTooMuch extends MemoryJobStore {
  override buryBeyond(most: number, death: Death, limits: DeadJobLimits) {
    return super.buryBeyond(most - 1, death, limits);
  }
}
class BuriesOneOnly extends MemoryJobStore {
  private isDone = false;
  override async buryBeyond(most: number, death: Death, limits: DeadJobLimits) {
    const buried = this.isDone ? 0 : await super.buryBeyond(most, death, limits);
    this.isDone ||= buried > 0;
    return buried;
  }
}
/** As one would that drops what is too much. */
class DropsInsteadOfBurying extends MemoryJobStore {
  override buryBeyond(most: number, death: Death, limits: DeadJobLimits) {
    return super.buryBeyond(most, death, { ...limits, most: 0 });
  }
}
class BuriesTheEarliestOfAll extends MemoryJobStore {
  override async buryBeyond(most: number, death: Death, limits: DeadJobLimits) {
    if ((await super.size()) <= most) return 0;
    const [first] = await super.claim({ ...claim, id: 'bury', now: Infinity, limit: 1 });
    if (first) await super.bury(first, death, limits);
    return first ? 1 : 0;
  }
}
/** As if those under way could be taken back. */
class BuriesClaimedJobs extends MemoryJobStore {
  override async buryBeyond(most: number, death: Death, limits: DeadJobLimits) {
    await super.backlog(Infinity);
    return super.buryBeyond(most, death, limits);
  }
}
class KeepsAllBeyondTheLimit extends MemoryJobStore {
  override buryBeyond(most: number, death: Death) {
    return super.buryBeyond(most, death, { most: Infinity, maxBytes: Infinity, keepMs: Infinity });
  }
}
class SaysThatNothingIsDue extends MemoryJobStore {
  override async nextDueAt() {
    return Infinity;
  }
}
class ForgetsWhatIsLeased extends MemoryJobStore {
  override async nextDueAt() {
    return (await this.backlog(Infinity)).oldestDueAt ?? Infinity;
  }
}
class BuriesMoreAtEachCall extends MemoryJobStore {
  override buryBeyond(_most: number, death: Death, limits: DeadJobLimits) {
    return super.buryBeyond(0, death, limits);
  }
}

const isNext = 'tells when the next job is due or free again, if it can';
const renews = 'extends a lease, for the claim that holds the job';
const isDueAgain = 'makes a job due again, with its new state and nothing else changed';
const countsAll = 'tells how much is in the queue, how many keys are due, and since when the first free job has been';
const buriesTheFullest = 'buries what is too much: the earliest of the key that has the most, and no more';
const resendsOnce = 'sends a dead job again once, however many callers ask, and only for its owner';

describeNode('the contract of JobStore rejects an implementation that', () => {
  it.each([
    [ClaimsTwice, 'hides what is claimed until the lease is over'],
    [ForgetsLeases, 'hides what is claimed until the lease is over'],
    [IgnoresBusy, 'hands out nothing of a busy key, however much of it waits'],
    [IgnoresTheLimitPerKey, 'hands out no more than it may of one key, and finds the others behind it'],
    [ClaimsTooEarly, 'answers nothing when nothing is due'],
    [SaysThatNothingIsDue, isNext],
    [ForgetsWhatIsLeased, isNext],
    [ChecksOnlyTheFirst, 'hands out nothing of a busy key, however much of it waits'],
    [LastFirst, 'hands out the earliest due first, and the equally due in the order they were added'],
    [NeverRenews, renews],
    [RenewsForAnyClaim, renews],
    [KeepsTheState, isDueAgain],
    [ForgetsTheState, isDueAgain],
    [RetriesAtOnce, isDueAgain],
    [NeverDone, 'never hands out again what is done'],
    [AddsAgain, 'leaves a job that it knows as it is'],
    [HasNoFence, 'lets no claim end what another one holds by now'],
    [BuriesNothing, 'keeps what is buried as a dead job, out of the queue'],
    [RefusesSomeReasons, 'buries for any reason, even one that it can store only in part'],
    [BuriesForAnyClaim, 'buries nothing that another claim holds by now, or that is gone'],
    [KeepsAllDeadJobs, 'keeps so many dead jobs of an owner, and lets the oldest go'],
    [KeepsAllDeadJobs, 'lets dead jobs go that died too long before'],
    [ShowsDeadJobsOfAll, 'lists the dead jobs of an owner alone, the oldest first, page by page'],
    [IgnoresTheCursor, 'lists the dead jobs of an owner alone, the oldest first, page by page'],
    [ShowsTheOldestAsLatest, 'lists the dead jobs of an owner backwards, page by page, and counts them'],
    [IgnoresTheCursorBackwards, 'lists the dead jobs of an owner backwards, page by page, and counts them'],
    [CountsDeadJobsOfAll, 'lists the dead jobs of an owner backwards, page by page, and counts them'],
    [KeepsDeadJobsOfAnySize, 'keeps so many bytes of dead jobs of an owner, and counts those that it lets go'],
    [CountsNoDrops, 'keeps so many bytes of dead jobs of an owner, and counts those that it lets go'],
    [RemembersDropsForEver, 'keeps so many bytes of dead jobs of an owner, and counts those that it lets go'],
    [ResendsOfAnyOwner, resendsOnce],
    [ResendsTwice, resendsOnce],
    [ResendsWithOldState, 'sends dead jobs again as they were, but for what is fresh, in the order in which they died'],
    [CountsOnlyDueJobs, countsAll],
    [CountsClaimedAges, countsAll],
    [CountsJobsAsKeys, countsAll],
    [BuriesTooMuch, buriesTheFullest],
    [BuriesOneOnly, buriesTheFullest],
    [DropsInsteadOfBurying, buriesTheFullest],
    [BuriesTheEarliestOfAll, buriesTheFullest],
    [BuriesClaimedJobs, 'buries nothing that a claim holds, and what is put off like all else'],
    [BuriesMoreAtEachCall, 'buries what is too much once, however many callers do'],
    [KeepsAllBeyondTheLimit, 'keeps so many dead jobs of those that are too many, and no other'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describeJobStore, () => new Broken())).toContain(promise);
  });
});
