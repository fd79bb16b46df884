import { Logger } from '@nestjs/common';
import { beforeEach, expect, it, vi } from 'vitest';
import {
  DeadLettersService,
  jobOf,
  type TryOutcome,
  type WebhookDelivery,
  webhookDelivery,
  WebhookSender,
} from '#webhooks';
import { type Job, type JobOutcome, JobRunner, MemoryJobStore } from 'rookery/internal/jobs';
import { type Disturbance, survived } from './disturbed.js';
import { fakeTime, startedAt } from './fake-time.js';

// A fault between any two calls of ports of those that run jobs, send webhooks and send dead letters again.

fakeTime();
beforeEach(() => Logger.overrideLogger(false));

const methods = ['add', 'claim', 'renew', 'done', 'retry', 'bury', 'nextDueAt', 'dead', 'resend'] as const;
const leaseMs = 10_000;
const deadJobs = { most: 100, maxBytes: 1_000_000, keepMs: 1_000_000 };

interface Runners {
  readonly store: MemoryJobStore;
  readonly mine: JobRunner;
  readonly other: JobRunner;
  readonly ran: string[];
}

/** One job is done, one is tried again, one is given up, and one renews its lease. */
function runners(disturbance: Disturbance): Runners {
  const [store, ran] = [new MemoryJobStore(), [] as string[]];
  const runner = (of: MemoryJobStore): JobRunner =>
    new JobRunner(of, {
      jobs: 'jobs',
      run: async ({ job, lease }): Promise<JobOutcome> => {
        ran.push(`${job.id} ${String(job.state)}`);
        if (job.id === 'again' && job.state !== 'second')
          return { outcome: 'retry', dueAt: Date.now() + 1000, state: 'second' };
        if (job.id === 'dies') return { outcome: 'bury', reason: 'it is of no use' };
        if (job.id === 'long' && !(await lease.renew())) return { outcome: 'ended' };
        return { outcome: 'done' };
      },
      concurrency: 2,
      perKey: 2,
      leaseMs,
      pollMs: 1000,
      deadJobs,
    });
  return { store, mine: runner(disturbance.port('store', store, methods)), other: runner(store), ran };
}

const job = (id: string): Job => ({ id, owner: 'app', key: id, dueAt: startedAt, data: '', state: '' });

it('jobs, while another runner takes over', async () => {
  const wrong = await survived<Runners>({
    world: async (disturbance) => {
      const made = runners(disturbance);
      await made.store.add(['done', 'again', 'dies', 'long'].map(job));
      return made;
    },
    work: async ({ mine }) => {
      mine.start();
      await vi.advanceTimersByTimeAsync(2500);
    },
    other: async ({ other }) => {
      other.start();
      await vi.advanceTimersByTimeAsync(leaseMs + 2000);
    },
    later: async ({ mine, other }) => {
      await vi.advanceTimersByTimeAsync(2 * leaseMs);
      await Promise.all([mine.stop(), other.stop()]);
    },
    end: async ({ store, ran }) => ({
      ran: [...new Set(ran)].toSorted(),
      left: await store.size(),
      dead: (await store.dead('app', '', 10)).map((each) => each.job.id),
    }),
  });
  expect(wrong).toEqual([]);
});

it('jobs that a runner has not begun when it stops', async () => {
  const wrong = await survived<Runners>({
    world: async (disturbance) => {
      const made = runners(disturbance);
      await made.store.add(['one', 'two', 'three', 'four', 'five', 'six'].map(job));
      return made;
    },
    work: async ({ mine }) => {
      mine.start();
      await mine.stop();
    },
    other: ({ store }) => store.add([job('seven')]),
    later: async ({ other }) => {
      other.start();
      await vi.advanceTimersByTimeAsync(2 * leaseMs);
      await other.stop();
    },
    end: async ({ store, ran }) => ({ ran: [...new Set(ran)].toSorted(), left: await store.size() }),
  });
  expect(wrong).toEqual([]);
});

interface Webhooks {
  readonly store: MemoryJobStore;
  readonly mine: WebhookSender;
  readonly letters: DeadLettersService;
  readonly accepted: string[];
  /** Whether the endpoint accepts. */
  isUp: boolean;
}

const minute = 60_000;
const fresh = (now: number) => ({ retryDelaysMs: [1000, minute], expiresAt: now + 10 * minute });
const webhook = (id: string, sequence?: string): WebhookDelivery => ({
  ...webhookDelivery(
    { id, owner: 'app', url: 'https://hooks.example/', headers: {}, body: id, ...(sequence && { sequence }) },
    Date.now(),
  ),
  ...fresh(Date.now()),
});

function webhooks(disturbance: Disturbance): Webhooks {
  const store = new MemoryJobStore();
  const calls = disturbance.port('store', store, methods);
  const made = { store, accepted: [] as string[], isUp: true };
  const endpoint = {
    post: async ({ id }: WebhookDelivery): Promise<TryOutcome> => {
      if (!made.isUp) return { outcome: 'failed', reason: 'it answered 500' };
      made.accepted.push(id);
      return { outcome: 'accepted' };
    },
    close: async () => {},
  };
  const mine = new WebhookSender(calls, {}, disturbance.port('endpoint', endpoint, ['post']));
  return Object.assign(made, { mine, letters: new DeadLettersService(calls, mine, fresh) });
}

const sent = async ({ store, accepted }: Webhooks) => ({
  accepted: [...new Set(accepted)].toSorted(),
  left: await store.size(),
  dead: (await store.dead('app', '', 10)).map((each) => each.job.id),
});

const stop = async ({ mine }: Webhooks): Promise<void> => {
  await vi.advanceTimersByTimeAsync(3 * minute);
  const stopping = mine.beforeApplicationShutdown();
  await vi.advanceTimersByTimeAsync(10_000);
  await stopping;
  const stopped = mine.onApplicationShutdown();
  await vi.advanceTimersByTimeAsync(10_000);
  await stopped;
};

it('webhooks that are sent, while others come', async () => {
  const wrong = await survived<Webhooks>({
    world: async (disturbance) => {
      const made = webhooks(disturbance);
      made.mine.onApplicationBootstrap();
      await vi.advanceTimersByTimeAsync(1);
      return made;
    },
    work: async ({ mine }) => {
      await mine.send([webhook('one', 'in order'), webhook('two', 'in order')]);
      await vi.advanceTimersByTimeAsync(500);
    },
    other: ({ store }) => store.add([webhook('three', 'in order')].map(jobOf)),
    later: stop,
    end: sent,
  });
  expect(wrong).toEqual([]);
});

/** A world with two dead letters, whose endpoint accepts webhooks now. */
async function withLetters(disturbance: Disturbance): Promise<Webhooks> {
  const made = webhooks(disturbance);
  made.isUp = false;
  made.mine.onApplicationBootstrap();
  await made.mine.send([webhook('one'), webhook('two')]);
  await vi.advanceTimersByTimeAsync(3 * minute);
  made.isUp = true;
  return made;
}

it.each<[string, (of: Webhooks) => Promise<unknown>]>([
  ['a dead letter that is sent again', ({ letters }) => letters.resend('app', 'one')],
  ['all dead letters that are sent again', ({ letters }) => letters.resendAll('app')],
])('%s, while another caller does the same', async (_, resend) => {
  const wrong = await survived<Webhooks>({
    world: withLetters,
    work: async (of) => {
      await resend(of);
      await vi.advanceTimersByTimeAsync(500);
    },
    other: (of) => resend(of).catch(() => {}),
    later: stop,
    end: sent,
  });
  expect(wrong).toEqual([]);
});
