import { Logger } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import {
  type ClaimedJob,
  type Job,
  type JobClaim,
  type JobOutcome,
  type JobRun,
  JobRunner,
  type JobRunnerOptions,
  MemoryJobStore,
} from 'rookery/internal/jobs';

const leaseMs = 1000;
const jobOf = (key: string): Job => ({ id: randomUUID(), owner: 'app-1', key, dueAt: 0, data: '', state: '' });

afterEach(() => void vi.restoreAllMocks());

it('survives a run that throws, runs other jobs meanwhile, and runs this one again after its lease', async () => {
  const error = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
  let time = 1_000_000;
  const ran: string[] = [];
  const store = new MemoryJobStore();
  const runner = new JobRunner(store, {
    jobs: 'letters',
    run: async ({ job }) => {
      ran.push(job.key);
      if (job.key === 'broken' && ran.length < 3) throw new Error('no ink');
      return { outcome: 'done' };
    },
    concurrency: 1,
    perKey: 1,
    leaseMs,
    pollMs: 60_000,
    now: () => time,
    steady: () => time,
  });
  await store.add([jobOf('broken'), jobOf('fine')]);

  await runner.drain();
  expect(ran).toEqual(['broken', 'fine']);
  expect(error.mock.calls).toEqual([[expect.stringContaining('will run again'), new Error('no ink')]]);

  time += leaseMs;
  await runner.drain();
  expect(ran).toEqual(['broken', 'fine', 'broken']);
  await runner.stop();
});

/** A store whose answers take a while to arrive. */
class SlowStore extends MemoryJobStore {
  constructor(private readonly answerTakesTime: () => void) {
    super();
  }
  override async claim(claim: JobClaim) {
    return this.answered(await super.claim(claim));
  }
  override async renew(job: ClaimedJob, leasedUntil: number) {
    return this.answered(await super.renew(job, leasedUntil));
  }
  private answered<Answer>(answer: Answer): Answer {
    this.answerTakesTime();
    return answer;
  }
}

it.each([0, 1, 400, leaseMs - 1])('counts a lease from the question, when the answer takes %i ms', async (answerMs) => {
  let time = 1_000_000;
  const store = new SlowStore(() => (time += answerMs));
  const left: number[] = [];
  const runner = new JobRunner(store, {
    jobs: 'letters',
    run: async ({ lease }) => {
      const heldMs = (): number => {
        const from = time;
        while (lease.isHeld) time += 1;
        return time - from;
      };
      left.push(heldMs());
      expect(await lease.renew()).toBe(true);
      left.push(heldMs());
      return { outcome: 'done' };
    },
    concurrency: 1,
    perKey: 1,
    leaseMs,
    pollMs: 60_000,
    now: () => time,
    steady: () => time,
  });
  await store.add([jobOf('alice')]);
  await runner.drain();
  expect(left).toEqual([leaseMs - answerMs, leaseMs - answerMs]);
  await runner.stop();
});

it('starts no run that could outlast a lease whose answer came late', async () => {
  let time = 1_000_000;
  let answerMs = leaseMs / 2 + 1;
  const startedAt: number[] = [];
  const store = new SlowStore(() => (time += answerMs));
  const runner = new JobRunner(store, {
    jobs: 'letters',
    run: async () => {
      startedAt.push(time);
      return { outcome: 'done' };
    },
    concurrency: 1,
    perKey: 1,
    leaseMs,
    longestRunMs: leaseMs / 2,
    pollMs: 60_000,
    now: () => time,
    steady: () => time,
  });
  await store.add([jobOf('alice')]);
  await runner.drain();
  expect(startedAt).toEqual([]);
  answerMs = 0;
  time += leaseMs;
  await runner.drain();
  expect(startedAt).toEqual([time]);
  await runner.stop();
});

it('runs jobs outside of the context of the request that added them', async () => {
  const requests = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  const store = new MemoryJobStore();
  const runner = new JobRunner(store, {
    jobs: 'letters',
    run: async () => {
      seen.push(requests.getStore());
      return { outcome: 'done' };
    },
    concurrency: 1,
    perKey: 1,
    leaseMs,
    pollMs: 60_000,
  });
  await requests.run('a request', async () => {
    await store.add([jobOf('alice')]);
    runner.wake();
    await runner.finished();
    expect(requests.getStore()).toBe('a request');
  });
  expect(seen).toEqual([undefined]);
  await runner.stop();
});

/** A store that says when its next job is due, and what other processes add. */
class AnnouncedJobs extends MemoryJobStore {
  claims = 0;
  questions = 0;
  wake = (): void => {};
  override claim(claim: JobClaim) {
    this.claims += 1;
    return super.claim(claim);
  }
  override async nextDueAt(): Promise<number> {
    this.questions += 1;
    return (await this.backlog(Infinity)).oldestDueAt ?? Infinity;
  }
  override watch(wake: () => void) {
    this.wake = wake;
    return async () => undefined;
  }
}

it('asks seldom, and only when a job is due, while its store announces the jobs of others', async () => {
  vi.useFakeTimers();
  try {
    const store = new AnnouncedJobs();
    const done: string[] = [];
    const runner = new JobRunner(store, {
      jobs: 'letters',
      run: async ({ job }) => {
        done.push(job.key);
        return { outcome: 'done' };
      },
      concurrency: 1,
      perKey: 1,
      leaseMs,
      pollMs: 1000,
    });
    const asked = async (ms: number, after: () => void) => {
      const before = { claims: store.claims, questions: store.questions };
      after();
      await vi.advanceTimersByTimeAsync(ms);
      return { claims: store.claims - before.claims, questions: store.questions - before.questions };
    };
    // It may never announce any, as behind a pooler.
    expect(await asked(50_000, () => runner.start())).toEqual({ claims: 51, questions: 0 });
    expect(await asked(50_500, store.wake)).toEqual({ claims: 1, questions: 6 });
    // Another process adds two, of which one is due later.
    await store.add([jobOf('now'), { ...jobOf('soon'), dueAt: Date.now() + 3200 }]);
    store.wake();
    await vi.advanceTimersByTimeAsync(0);
    expect(done).toEqual(['now']);
    await vi.advanceTimersByTimeAsync(3200);
    expect(done).toEqual(['now', 'soon']);
    // A job of a process that does not announce it is found.
    await store.add([{ ...jobOf('late'), dueAt: Date.now() + 60_000 }]);
    expect(await asked(51_000, store.wake)).toEqual({ claims: 1, questions: 11 });
    await vi.advanceTimersByTimeAsync(9000);
    expect(done).toEqual(['now', 'soon', 'late']);
    await runner.stop();
  } finally {
    vi.useRealTimers();
  }
});

const runnerOf = (store: MemoryJobStore, run: JobRunnerOptions['run'], more: Partial<JobRunnerOptions> = {}) =>
  new JobRunner(store, { jobs: 'letters', run, concurrency: 1, perKey: 1, leaseMs, pollMs: 60_000, ...more });
const done = async (): Promise<JobOutcome> => ({ outcome: 'done' });

it('drains what is due and nothing later, and nothing at all once it is stopped', async () => {
  vi.useFakeTimers();
  try {
    const store = new MemoryJobStore();
    const run = vi.fn<JobRunnerOptions['run']>(done);
    const runner = runnerOf(store, run, { pollMs: 10 });
    await store.add([jobOf('now'), { ...jobOf('later'), dueAt: Date.now() + 100 }]);
    await runner.drain();
    await vi.advanceTimersByTimeAsync(1000);
    expect(run.mock.calls.map(([{ job }]) => job.key)).toEqual(['now']);
    await runner.stop();
    expect(runner.isStopped).toBe(true);
    await runner.drain();
    expect(run).toHaveBeenCalledTimes(1);
  } finally {
    vi.useRealTimers();
  }
});

it('claims until it has no room, from a store that answers one job at a time', async () => {
  class OneByOne extends MemoryJobStore {
    override claim(claim: JobClaim) {
      return super.claim({ ...claim, limit: 1 });
    }
  }
  const store = new OneByOne();
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const run = async ({ job }: JobRun) => {
    started.push(job.key);
    await new Promise<void>((resolve) => ends.push(resolve));
    return done();
  };
  const runner = runnerOf(store, run, { concurrency: 3 });
  await store.add(['a', 'b', 'c', 'd'].map(jobOf));
  runner.wake();
  await expect.poll(() => started).toEqual(['a', 'b', 'c']);
  ends[0]!();
  await expect.poll(() => started).toEqual(['a', 'b', 'c', 'd']);
  for (const end of ends) end();
  await runner.stop();
});

it('gives the slot of a run that steps aside to another, until ten times as many run', async () => {
  const store = new MemoryJobStore();
  const crowded: boolean[] = [];
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const run = async ({ isCrowded, stepAside }: JobRun) => {
    crowded.push(isCrowded());
    stepAside();
    crowded.push(isCrowded());
    await ended;
    return done();
  };
  const runner = runnerOf(store, run);
  await store.add(Array.from({ length: 12 }, (_, n) => jobOf(`key ${n}`)));
  runner.wake();
  await expect.poll(() => crowded).toHaveLength(20);
  expect(await store.backlog(Date.now())).toMatchObject({ dueKeys: 2 });
  expect(crowded.slice(0, 4)).toEqual([true, false, true, false]);
  end();
  await expect.poll(() => crowded).toHaveLength(24);
  await runner.stop();
  expect(await store.size()).toBe(0);
});

it('returns the jobs that it has claimed and not started when it stops', async () => {
  const store = new MemoryJobStore();
  const started: string[] = [];
  let end = (): void => {};
  const run = async ({ job }: JobRun) => {
    started.push(job.id);
    await new Promise<void>((resolve) => (end = resolve));
    return done();
  };
  // A new key gets one run at first.
  const runner = runnerOf(store, run, { concurrency: 4, perKey: 4 });
  const added = [jobOf('a'), jobOf('a')];
  await store.add(added);
  runner.wake();
  await expect.poll(() => started).toEqual([added[0]!.id]);
  const stopped = runner.stop();
  end();
  await stopped;
  const again = await store.claim({ id: 'next', now: 0, limit: 9, perKey: 9, busy: new Set(), leaseMs });
  expect(again.map(({ id }) => id)).toEqual([added[1]!.id]);
});

it('leaves claimed jobs to their lease when it stops while the store is away', async () => {
  const error = vi.spyOn(Logger.prototype, 'error').mockReturnValue();
  const store = new MemoryJobStore();
  vi.spyOn(store, 'retry').mockRejectedValue(new Error('the database is away'));
  let end = (): void => {};
  const run = async () => {
    await new Promise<void>((resolve) => (end = resolve));
    return done();
  };
  const runner = runnerOf(store, run, { concurrency: 4, perKey: 4 });
  await store.add([jobOf('a'), jobOf('a')]);
  runner.wake();
  await expect.poll(() => store.size()).toBe(2);
  const stopped = runner.stop();
  end();
  await stopped;
  expect(error.mock.calls).toEqual([[expect.stringContaining('their lease'), new Error('the database is away')]]);
});

it.each([true, false])('keeps the process alive while it waits, if it is to: %s', async (keepsAlive) => {
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const runner = runnerOf(new MemoryJobStore(), done, { keepsAlive });
  runner.start();
  await runner.finished();
  expect((timers.mock.results.at(-1)!.value as NodeJS.Timeout).hasRef()).toBe(keepsAlive);
  await runner.stop();
});
