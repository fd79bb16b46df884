import { type Added, type DeviceReport, MemoryPublishOutbox, type Publish } from 'rookery/publish';
import type { ClaimedJob } from 'rookery/jobs';
import { TypeOrmPublishOutbox } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describePublishOutbox } from '@rookery/testing';
import { describeBrokenDoubles, eachWith } from './broken-doubles.js';
import { describeNode } from '../support/services.js';

const inMemory = () => new MemoryPublishOutbox();

describeNode('MemoryPublishOutbox', () => {
  describePublishOutbox(inMemory);
});

describeDatabases('TypeOrmPublishOutbox', ({ database }) => {
  describePublishOutbox(async () => {
    for (const table of ['publishes', 'publish_keys', 'jobs', 'reports', 'report_counts'])
      await database().execute(`DELETE FROM rookery_${table}`);
    return new TypeOrmPublishOutbox(database());
  });
});

const everything = { now: Infinity, limit: 9, perKey: 9, busy: new Set<string>(), leaseMs: 1 };

describeBrokenDoubles('PublishOutbox', describePublishOutbox, inMemory, (right, double) => ({
  'lists the publishes of an instance, the newest first, page by page, each once': [
    double('lists the oldest first', { latest: async (...page) => (await right.latest(...page)).toReversed() }),
    double('lists all instances', (added: Publish[] = []) => ({
      add(publish, once) {
        added.push(publish);
        return right.add(publish, once);
      },
      latest: async (_, limit, after) => (after ? [] : added.toReversed().slice(0, limit)),
    })),
  ],
  'adds a job for a publish, due at once': double('adds no job', {
    async add(...asked) {
      const added = await right.add(...asked);
      const [job] = await right.jobs.claim({ ...everything, id: 'lost' });
      if (job) await right.jobs.done(job);
      return added;
    },
  }),
  'removes the jobs of a finished publish': double('keeps the job of the finished', {
    async finish(job, now) {
      const isFinished = await right.finish(job, now);
      right.jobs.adding([job]);
      return isFinished;
    },
  }),
  'refuses writes of a stale claim': [
    // As an update would that looks only at the id.
    double('has no fence', (claims = new Map<string, ClaimedJob>(), claim = right.jobs.claim.bind(right.jobs)) => {
      right.jobs.claim = async (asked) => {
        const found = await claim(asked);
        for (const job of found) claims.set(job.id, job);
        return found;
      };
      return { save: (job, ...saved) => right.save(claims.get(job.id) ?? job, ...saved) };
    }),
  ],
  'answers the due retries of a partition, the earliest first': [
    double('loses retries', { save: (job, partition) => right.save(job, partition) }),
    double('answers retries too early', {
      retries: (id, platform, _, limit) => right.retries(id, platform, Infinity, limit),
    }),
  ],
  'adds exactly one of several concurrent requests with a key': [
    // As a look-up would that is not in one transaction with what follows it.
    double('adds both concurrent', (seen = new Map<string, Promise<Added>>()) => ({
      async add(publish, once) {
        const known = once && seen.get(once.key);
        await Promise.resolve();
        if (known) return { ...(await known), outcome: 'repeated' };
        const added = right.add(publish);
        if (once) seen.set(once.key, added);
        return added;
      },
    })),
  ],
  'isolates the keys of instances': double('mixes instances', {
    add: (publish, once) => right.add({ ...publish, instanceId: 'same' }, once),
  }),
  'refuses a key that was used for another body': double('ignores the body', {
    add: (publish, once) => right.add(publish, once && { ...once, fingerprint: 'same' }),
  }),
  // As one would that has a column for the interests of the specification.
  'keeps how interests are combined, for every process that works on the publish': double('forgets combinations', {
    add(publish, once) {
      const { interests } = publish.target;
      return right.add(interests ? { ...publish, target: { interests } } : publish, once);
    },
  }),
  'forgets a key when it expires': double('keeps keys forever', {
    add: (publish, once) => right.add(publish, once && { ...once, expiresAt: Infinity }),
  }),
  'keeps a scheduled publish until its time': double('sends at once', {
    add: (publish, once) => right.add({ ...publish, publishAt: undefined }, once),
  }),
  'reports a cancellation to the run when it saves': double('cancels only waiting ones', {
    save: async (...saved) => ((await right.save(...saved)) === 'lost' ? 'lost' : 'saved'),
  }),
  // As an update would that sets no more than the mark.
  'makes a cancelled publish due at once': double('keeps cancelled jobs waiting', {
    cancel: (instanceId, id) => right.cancel(instanceId, id, Infinity),
  }),
  'makes a cancelled publish due at once when it is released': 'keeps cancelled jobs waiting',
  'cancels neither finished publishes nor those of another instance': double('cancels finished ones', {
    async cancel(...asked) {
      const outcome = await right.cancel(...asked);
      return outcome === 'finished' ? 'cancelled' : outcome;
    },
  }),
  // As a plain INSERT would that leaves what is there.
  'keeps the outcome of each device with its page, and later ones': double('keeps the first outcome', {
    save(job, partition, change) {
      const isLater = change?.outcomes?.of === 'retries';
      return right.save(job, partition, isLater ? { ...change, outcomes: undefined } : change);
    },
  }),
  'answers outcomes in pages': double('ends with the first page', {
    outcomes: async (...asked) => ({ devices: (await right.outcomes(...asked)).devices }),
  }),
  'keeps no outcomes of a stale owner': 'has no fence',
  'forgets only old outcomes': double('forgets fresh outcomes', {
    forgetOutcomes: () => right.forgetOutcomes(Infinity),
  }),
  'adds a job for a range that is handed over, and asks for no other range until it is claimed': [
    double('hides ranges', {
      save(job, partition, { handedOver, ...rest } = { again: [], settled: [] }) {
        const never = handedOver && { ...handedOver, dueAt: Infinity };
        return right.save(job, partition, { ...rest, handedOver: never });
      },
    }),
    double('always wants ranges', {
      async save(...asked) {
        const saved = await right.save(...asked);
        return saved === 'saved' ? 'wanted' : saved;
      },
    }),
  ],
  'counts a publish and its waiting ranges once': 'hides ranges',
  // As one would that looks at the claim, and not at what it is of.
  'fences a range by its own job': double('saves any partition', {
    save: (job, partition, change) => right.save({ ...job, data: partition.from ?? '' }, partition, change),
  }),
  'gives all partitions to the last job that leaves, to finish the publish': [
    double('ends with the first job', {
      async leave(job) {
        await right.leave(job);
        return (await right.find('00000000-0000-4000-8000-000000000001', job.key))?.partitions;
      },
    }),
    double('never ends', { leave: async (job) => void (await right.leave(job)) }),
  ],
  'treats exactly one of several jobs that leave concurrently as the last': [
    'ends with the first job',
    // As one would that counts before it ends the job, and takes no lock.
    double('ends twice', {
      async leave(job) {
        const isLast = !right.jobs.hasOthers(job);
        await Promise.resolve();
        const partitions = await right.leave(job);
        return isLast ? partitions : undefined;
      },
    }),
  ],
  'reports a cancellation to all runs of a publish': ['cancels only waiting ones', 'keeps cancelled jobs waiting'],
  'forgets only old, finished publishes': double('forgets unfinished ones', {
    forget: async () => right.forget(await right.finishedBefore(Infinity, 100)),
  }),
  'counts a report once, even if it is repeated or concurrent': double('counts reports each time', (times = 0) => ({
    report: (report) => right.report({ ...report, deviceId: `${report.deviceId} ${++times}` }),
  })),
  'forgets a publish with many reports, and counts later ones from zero': [
    double('keeps report counts', (counted = new Map<string, number>()) => ({
      async report(report) {
        const { publishId } = report;
        if (!(await right.isReported(report))) counted.set(publishId, (counted.get(publishId) ?? 0) + 1);
        await right.report(report);
      },
      reports: async (publishId) => eachWith(await right.reports(publishId), { count: counted.get(publishId) ?? 0 }),
    })),
  ],
  'answers what some devices have reported on a publish': [
    double('answers reports of all', (all: DeviceReport[] = []) => ({
      async report(report) {
        all.push(report);
        await right.report(report);
      },
      reportsOf: async (publishId) => all.filter((each) => each.publishId === publishId),
    })),
    double('mixes reports of devices', {
      async reportsOf(publishId, deviceIds) {
        const others = await right.reportsOf('pubid-2', deviceIds);
        return [...(await right.reportsOf(publishId, deviceIds)), ...others];
      },
    }),
  ],
  'isolates the reports of publishes, and forgets those of the given ones': double('mixes reports', {
    report: (report) => right.report({ ...report, publishId: 'same' }),
    reports: () => right.reports('same'),
  }),
}));
