import { expect, it, vi } from 'vitest';
import { SendLater } from 'rookery/publish';
import { publishOf } from '../../libs/publish/src/publish.js';
import { FanOutWorld, hi, instance } from '../support/fan-out-world.js';
import { type Disturbance, survived } from './disturbed.js';
import { fakeTime } from './fake-time.js';

// A fault between any two calls of ports of those that send publishes: the fan-out, its pages, retries and ranges.

fakeTime();

/** Shorter than the other worker waits. */
const leaseMs = 10_000;
const options = { pollMs: 1000, firstRetryMs: 1000, leaseMs, pageSize: 3 };

/** The outbox and the devices whose calls are disturbed, for the first worker only. */
class World extends FanOutWorld {
  readonly ids: string[] = [];
  readonly delivered = new Set<string>();
  readonly plain = { outbox: this.outbox, devices: this.devices };

  constructor(private readonly disturbance: Disturbance) {
    super();
    Object.defineProperty(this, 'now', { get: () => Date.now() });
  }

  startDisturbed(): void {
    const { disturbance, plain } = this;
    const jobs = disturbance.port('jobs', plain.outbox.jobs, ['claim', 'renew', 'done', 'retry', 'bury']);
    const outbox = disturbance.port('outbox', plain.outbox, ['save', 'leave', 'finish', 'retries', 'waiting', 'find']);
    const withJobs = new Proxy(outbox, {
      get: (port, name) => (name === 'jobs' ? jobs : (Reflect.get(port, name) as unknown)),
    });
    const devices = disturbance.port('devices', plain.devices, [
      'inAudience',
      'find',
      'setEnvironments',
      'unmarkGone',
      'markGone',
      'removeUnregistered',
    ]);
    this.during({ outbox: withJobs, devices }, () => this.startWorker(options));
  }

  private during(ports: Pick<FanOutWorld, 'outbox' | 'devices'>, work: () => void): void {
    Object.assign(this, ports);
    work();
    Object.assign(this, this.plain);
  }
}

/** Two devices need a second try, and one is gone. */
async function world(disturbance: Disturbance): Promise<World> {
  const made = new World(disturbance);
  const devices = await made.register(5);
  const tried = new Set<string>();
  made.gateways.fcm.answer = ({ id }) => {
    if (id === devices[2]) return { outcome: 'unregistered' };
    if ((id === devices[0] || id === devices[3]) && !tried.has(id)) {
      tried.add(id);
      throw new SendLater('UNAVAILABLE');
    }
    made.delivered.add(id);
    return { outcome: 'delivered' };
  };
  made.ids.push(await made.publish());
  return made;
}

const work = async (of: World): Promise<void> => {
  of.startDisturbed();
  await vi.advanceTimersByTimeAsync(3000);
};
/** Another process, which takes over what the first one holds for longer than its lease. */
const takesOver = async (of: World): Promise<void> => {
  of.startWorker(options);
  await vi.advanceTimersByTimeAsync(leaseMs + 2000);
};
const later = async (): Promise<void> => void (await vi.advanceTimersByTimeAsync(30_000));

/** How many devices were removed is counted as far as it is known. One that is left goes with the next publish. */
async function end(of: World) {
  const all = await Promise.all(of.ids.map((id) => of.status(id)));
  const sent = new Set(of.gateways.fcm.sent).size;
  await of.publish();
  of.startWorker(options);
  await later();
  await of.close();
  return {
    all: all.map(({ state, platforms: { fcm } }) => ({
      state,
      audience: fcm?.audience,
      sent: fcm?.sent,
      failed: fcm?.failed,
      retrying: fcm?.retrying,
    })),
    sent,
    devices: (await of.devices.latest(instance.id, 100)).length,
    jobs: await of.outbox.jobs.size(),
  };
}

it('a publish with retries, while another worker takes over', async () => {
  const wrong = await survived<World>({ world, work, other: takesOver, later, end });
  expect(wrong).toEqual([]);
});

it('a publish in ranges, while another worker takes over', async () => {
  const wrong = await survived<World>({
    world: async (disturbance) => {
      const made = new World(disturbance);
      await made.register(24);
      made.ids.push(await made.publish());
      return made;
    },
    work,
    other: takesOver,
    later,
    end,
  });
  expect(wrong).toEqual([]);
});

it('a publish that is cancelled: all is counted that was sent, but for one page', async () => {
  const wrong = await survived<World>({
    world,
    work,
    other: (of) => of.outbox.cancel(instance.id, of.ids[0]!, of.now),
    later,
    end: async (of) => {
      const { platforms, finishedAt } = await of.status(of.ids[0]!);
      await of.close();
      const uncounted = of.delivered.size - (platforms.fcm?.sent ?? 0);
      const jobs = await of.outbox.jobs.size();
      return { isFinished: finishedAt !== undefined, isCounted: uncounted >= 0 && uncounted <= options.pageSize, jobs };
    },
  });
  expect(wrong).toEqual([]);
});

it('a publish to users: its attempt is reported once, while another worker takes over', async () => {
  const wrong = await survived<World>({
    world: async (disturbance) => {
      const made = await world(disturbance);
      await made.outbox.cancel(instance.id, made.ids.pop()!, made.now);
      for (const { id } of await made.devices.latest(instance.id, 100))
        await made.devices.setUser(instance.id, 'fcm', id, 'ann');
      const publish = publishOf(instance.id, { users: ['ann', 'bob'], ...hi }, made.now);
      await made.outbox.add(publish);
      made.ids.push(publish.id);
      return made;
    },
    work,
    other: takesOver,
    later,
    end: async (of) => {
      const attempts = new Map(of.webhooks.map(({ id, body }) => [id, JSON.parse(body) as { payload: object }]));
      return {
        ...(await end(of)),
        users: [...attempts.values()].map(({ payload }) => ({ ...payload, publish_id: '' })),
      };
    },
  });
  expect(wrong).toEqual([]);
});
