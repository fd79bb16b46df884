import { expect, it } from 'vitest';
import { type FreshJob, type Job, type JobClaim, MemoryJobStore } from 'rookery/jobs';
import { TypeOrmJobStore } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describeJobStore } from '@rookery/testing';
import { describeBrokenDoubles } from './broken-doubles.js';
import { describeNode } from '../support/services.js';

const inMemory = () => new MemoryJobStore();

describeNode('MemoryJobStore', () => {
  describeJobStore(inMemory);
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

const unlimited = { most: Infinity, maxBytes: Infinity, keepMs: Infinity };

describeBrokenDoubles('JobStore', describeJobStore, inMemory, (right, double) => ({
  'hides what is claimed until the lease is over': [
    double('claims twice', { claim: (claim) => right.claim({ ...claim, leaseMs: 0 }) }),
    double('forgets leases', { claim: (claim) => right.claim({ ...claim, leaseMs: Infinity }) }),
  ],
  'hands out nothing of a busy key, however much of it waits': [
    double('ignores busy', { claim: (claim) => right.claim({ ...claim, busy: new Set() }) }),
    // As a query with a limit would, that is filtered afterwards.
    double('checks only the first', {
      claim: async (claim) =>
        (await right.claim({ ...claim, busy: new Set() })).filter(({ key }) => !claim.busy.has(key)),
    }),
  ],
  'hands out no more than it may of one key, and finds the others behind it': double('ignores the limit per key', {
    claim: (claim) => right.claim({ ...claim, perKey: Infinity }),
  }),
  'answers nothing when nothing is due': double('claims too early', {
    claim: (claim) => right.claim({ ...claim, now: claim.now + 1 }),
  }),
  'tells when the next job is due or free again, if it can': [
    double('says that nothing is due', { nextDueAt: async () => Infinity }),
    double('forgets what is leased', {
      nextDueAt: async () => (await right.backlog(Infinity)).oldestDueAt ?? Infinity,
    }),
  ],
  'hands out the earliest due first, and the equally due in the order they were added': [
    double('hands out the last first', { claim: async (claim) => (await right.claim(claim)).toReversed() }),
  ],
  'extends a lease, for the claim that holds the job': [
    double('never renews', { renew: async (job) => right.isHeld(job) }),
    double('renews for any claim', { renew: async (...asked) => (await right.renew(...asked), true) }),
  ],
  'makes a job due again, with its new state and nothing else changed': [
    double('keeps the state', { retry: (job, dueAt) => right.retry(job, dueAt) }),
    double('forgets the state', { retry: (job, dueAt, state = '') => right.retry(job, dueAt, state) }),
    double('retries at once', { retry: (job, _, state) => right.retry(job, 0, state) }),
  ],
  'never hands out again what is done': double('never ends a job', { done: async () => {} }),
  'leaves a job that it knows as it is': double('adds again', {
    add: (jobs) => right.add(jobs.map((job, index) => ({ ...job, id: `${job.id} ${index}` }))),
  }),
  'lets no claim end what another one holds by now': double('has no fence', (holders = new Map<string, string>()) => ({
    async claim(claim) {
      const found = await right.claim(claim);
      for (const { id } of found) holders.set(id, claim.id);
      return found;
    },
    done: (job) => right.done({ ...job, claimId: holders.get(job.id) ?? '' }),
  })),
  'keeps what is buried as a dead job, out of the queue': double('buries nothing', { bury: (job) => right.done(job) }),
  'buries for any reason, even one that it can store only in part': double('refuses some reasons', {
    async bury(job, death, limits) {
      if (death.reason.includes('\0')) throw new Error('invalid byte sequence');
      await right.bury(job, death, limits);
    },
  }),
  'buries nothing that another claim holds by now, or that is gone': double('buries for any claim', {
    async bury(job, death, limits) {
      await right.add([job]);
      await right.claim({ ...claim, id: job.claimId, now: Infinity, limit: 1 });
      await right.bury(job, death, limits);
    },
  }),
  'keeps so many dead jobs of an owner, and lets the oldest go': double('keeps all dead jobs', {
    bury: (job, death) => right.bury(job, death, unlimited),
  }),
  'lets dead jobs go that died too long before': 'keeps all dead jobs',
  'lists the dead jobs of an owner alone, the oldest first, page by page': [
    double('shows dead jobs of all', {
      dead: async (_, ...page) => [...(await right.dead('app', ...page)), ...(await right.dead('other', ...page))],
    }),
    double('ignores the cursor', { dead: (owner) => right.dead(owner, '', Infinity) }),
  ],
  'lists the dead jobs of an owner backwards, page by page, and counts them': [
    double('shows the oldest as latest', { latestDead: (owner, _, limit) => right.dead(owner, '', limit) }),
    double('ignores the cursor backwards', { latestDead: (owner, _, limit) => right.latestDead(owner, '', limit) }),
    double('counts dead jobs of all', {
      async deadCounts() {
        const [app, other] = [await right.deadCounts('app'), await right.deadCounts('other')];
        return { kept: app.kept + other.kept, dropped: app.dropped };
      },
    }),
  ],
  'keeps so many bytes of dead jobs of an owner, and counts those that it lets go': [
    double('keeps dead jobs of any size', {
      bury: (job, death, limits) => right.bury(job, death, { ...limits, maxBytes: Infinity }),
    }),
    double('counts no drops', { deadCounts: async (owner) => ({ ...(await right.deadCounts(owner)), dropped: 0 }) }),
    double('remembers drops for ever', (most = 0) => ({
      async deadCounts(owner) {
        const counts = await right.deadCounts(owner);
        if (owner !== 'app') return counts;
        most = Math.max(most, counts.dropped);
        return { ...counts, dropped: most };
      },
    })),
  ],
  'sends a dead job again once, however many callers ask, and only for its owner': [
    double('resends of any owner', {
      resend: async (_, ...of) => (await right.resend('app', ...of)) + (await right.resend('other', ...of)),
    }),
    double('resends twice', {
      async resend(owner, ids, fresh) {
        const dead = (await right.dead(owner, '', Infinity)).filter(({ job: { id } }) => ids.includes(id));
        await right.add(dead.map((one) => ({ ...one.job, ...fresh })));
        return dead.length;
      },
    }),
  ],
  'sends dead jobs again as they were, but for what is fresh, in the order in which they died': [
    double('resends with old state', {
      resend: (owner, ids, { dueAt }) => right.resend(owner, ids, { dueAt } as FreshJob),
    }),
  ],
  'tells how much is in the queue, how many keys are due, and since when the first free job has been': [
    double('counts only due jobs', { size: async () => (await right.backlog(Infinity)).dueKeys }),
    double('counts claimed ages', { backlog: async (now) => ({ oldestDueAt: now, ...(await right.backlog(now)) }) }),
    double('counts jobs as keys', {
      async backlog(now) {
        const backlog = await right.backlog(now);
        return { ...backlog, dueKeys: backlog.dueKeys && (await right.size()) };
      },
    }),
  ],
  'buries what is too much: the earliest of the key that has the most, and no more': [
    double('buries too much', { buryBeyond: (most, ...death) => right.buryBeyond(most - 1, ...death) }),
    double('buries one only', (isDone = false) => ({
      async buryBeyond(...asked) {
        const buried = isDone ? 0 : await right.buryBeyond(...asked);
        isDone ||= buried > 0;
        return buried;
      },
    })),
    double('drops instead of burying', {
      buryBeyond: (most, death, limits) => right.buryBeyond(most, death, { ...limits, most: 0 }),
    }),
    double('buries the earliest of all', {
      async buryBeyond(most, death, limits) {
        if ((await right.size()) <= most) return 0;
        const [first] = await right.claim({ ...claim, id: 'bury', now: Infinity, limit: 1 });
        if (first) await right.bury(first, death, limits);
        return first ? 1 : 0;
      },
    }),
  ],
  // As if those under way could be taken back.
  'buries nothing that a claim holds, and what is put off like all else': double('buries claimed jobs', {
    async buryBeyond(...asked) {
      await right.backlog(Infinity);
      return right.buryBeyond(...asked);
    },
  }),
  'buries what is too much once, however many callers do': double('buries more at each call', {
    buryBeyond: (_, ...death) => right.buryBeyond(0, ...death),
  }),
  'keeps so many dead jobs of those that are too many, and no other': double('keeps all beyond the limit', {
    buryBeyond: (most, death) => right.buryBeyond(most, death, unlimited),
  }),
}));
