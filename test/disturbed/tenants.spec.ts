import { Logger } from '@nestjs/common';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { ConcurrencyLimiter, MemoryRequestRates, settingsOf } from '#common';
import { webhookDelivery, WebhookSender } from '#webhooks';
import { JobRunner, MemoryJobStore } from 'rookery/internal/jobs';
import { AuthorizationSettings } from '../../libs/authorization/src/authorization.options.js';
import { ConcurrentAuthorizations } from '../../libs/authorization/src/concurrent-authorizations.js';
import type { Connection } from 'rookery/channels';
import { TimedReads } from '../../libs/channels/src/wings/state/timed-reads.js';
import { Throttle } from '../../libs/channels/src/throttle.js';
import { CircuitBreakers } from '../../libs/publish/src/fan-out/circuit-breakers.js';
import { PlatformFault } from '../../libs/publish/src/delivery/push.gateway.js';
import { until } from '../support/until.js';

// Two owners of one limiter: whatever the one does, be it busy, hanging or refused, the other gets what it would alone.

beforeEach(() => Logger.overrideLogger(false));

/** How much the busy owner asks for: far more than there is. */
const much = 200;
const atOnce = 8;

/** Does work of an owner under the shared limiter. */
type Runs = (owner: string, work: () => Promise<void>) => unknown;

/** Slots that are shared, by what shares them. */
const shared: Readonly<Record<string, () => Runs>> = {
  'sends of instances to a platform': () => {
    const platform = new ConcurrencyLimiter(atOnce);
    return async (owner, work) => {
      const slots = platform.of(owner);
      await slots.take();
      await work().finally(() => slots.give());
    };
  },
  'reads of the states of apps': () => {
    const reads = new TimedReads(atOnce, 60_000);
    return (owner, work) => reads.run(owner, 'ann', work);
  },
  'authorizations of apps on sockets': () => {
    const slots = new ConcurrentAuthorizations(settingsOf(AuthorizationSettings, { concurrency: atOnce }));
    return (owner, work) => slots.runInTurn({ app: { id: owner }, socketId: '1.1' } as Connection, work);
  },
  'jobs of keys in a runner': () => {
    const store = new MemoryJobStore();
    const works = new Map<string, () => Promise<void>>();
    const runner = new JobRunner(store, {
      jobs: 'jobs',
      run: async ({ job }) => {
        await works.get(job.id)!();
        return { outcome: 'done' };
      },
      concurrency: atOnce,
      perKey: atOnce / 2,
      leaseMs: 60_000,
      pollMs: 60_000,
    });
    runner.start();
    return async (owner, work) => {
      const id = `${owner} ${works.size}`;
      works.set(id, work);
      await store.add([{ id, owner, key: owner, dueAt: 0, data: '', state: '' }]);
      runner.wake();
    };
  },
  'webhooks of apps to one URL': () => {
    const works = new Map<string, () => Promise<void>>();
    const client = {
      post: async ({ body }: { body: string }) => {
        await works.get(body)!();
        return { outcome: 'accepted', status: 200 } as const;
      },
      close: async () => {},
    };
    const options = { concurrency: 2 * atOnce, concurrencyPerEndpoint: atOnce / 2, shutdownMs: 10 };
    const sender = new WebhookSender(new MemoryJobStore(), options, client);
    sender.onApplicationBootstrap();
    onTestFinished(() => sender.onApplicationShutdown());
    return (owner, work) => {
      const body = `${owner} ${works.size}`;
      works.set(body, work);
      return sender.send([webhookDelivery({ owner, url: 'https://same/', headers: {}, body }, Date.now())]);
    };
  },
};

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** How much work of another owner is done, of three, while the first asks for much, none of which ends meanwhile. */
async function doneBeside(run: Runs): Promise<number> {
  let [hanging, done] = [0, 0];
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  for (let n = 0; n < much; n++)
    void run('hanging', () => {
      hanging += 1;
      return ended;
    });
  await until(() => hanging > 0, 'the first hang');
  for (let n = 0; n < 3; n++) void run('other', async () => void (done += 1));
  // More than all of it takes.
  for (let turns = 0; turns < 500; turns++) await turn();
  expect(hanging).toBeLessThan(much);
  const whileHanging = done;
  end();
  return whileHanging;
}

it.each(Object.entries(shared))('%s: one that hangs leaves room for another', async (_, of) => {
  expect(await doneBeside(of())).toBe(3);
});

it('notices slots that one owner can take all of', async () => {
  const slots = new ConcurrencyLimiter(atOnce).of('all');
  expect(await doneBeside((_, work) => slots.run(work))).toBe(0);
});

const inTurn: Readonly<Record<string, () => Runs>> = {
  ...shared,
  'reads of the states of an app for its clients': () => {
    const reads = new TimedReads(atOnce, 60_000);
    return (client, work) => reads.run('app', client, work);
  },
  'authorizations of an app for its clients': () => {
    const slots = new ConcurrentAuthorizations(settingsOf(AuthorizationSettings, { concurrency: atOnce }));
    return (client, work) => slots.runInTurn({ app: { id: 'app' }, socketId: client } as Connection, work);
  },
};

it.each(Object.entries(inTurn))('%s: another does not wait behind all that one asks for', async (_, of) => {
  const run = of();
  const done: string[] = [];
  for (let n = 0; n < much; n++)
    void run('busy', async () => {
      await turn();
      done.push('busy');
    });
  await turn();
  void run('other', async () => void done.push('other'));
  await until(() => done.includes('other'), 'the other is done');
  expect(done.indexOf('other')).toBeLessThan(much / 2);
});

/** Whether an owner is served, by what it has used up or what is refused. */
const refused: Readonly<Record<string, () => { uses(owner: string): unknown; isServed(owner: string): unknown }>> = {
  'the rate of requests': () => {
    const rates = new MemoryRequestRates();
    const take = (owner: string) => rates.take([{ name: `requests of ${owner}`, perSecond: 1, atOnce: 5 }]);
    return { uses: take, isServed: (owner) => take(owner) === 0 };
  },
  'work that is done once in a period': () => {
    const once = new Throttle(new MemoryRequestRates());
    const isFirst = (owner: string) => once.isFirst(`the count of ${owner}`, 60_000);
    return { uses: isFirst, isServed: isFirst };
  },
  'the circuit breakers of the apps of an instance': () => {
    const breakers = new CircuitBreakers();
    return {
      uses: (owner) => breakers.refused(new PlatformFault('refused', owner)),
      isServed: (owner) => breakers.faultOf(owner) === undefined,
    };
  },
};

it.each(Object.entries(refused))('%s: one that is refused does not have another refused', (_, of) => {
  const { uses, isServed } = of();
  for (let n = 0; n < much; n++) uses('busy');
  expect(isServed('busy')).toBe(false);
  expect(isServed('other')).toBe(true);
});
