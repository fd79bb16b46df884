import { Injectable, Module } from '@nestjs/common';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { ChannelsModule } from 'rookery/channels';
import { simulate, type Simulation, testingApp } from '@rookery/testing';
import { describe, expect, it } from 'vitest';
import { Access, AccessInTable, OrdersTable, Shop, ShopModule, shopModule } from './shop.module.js';

const shared = [OrdersTable];
const thisYear = new Date().getFullYear();
const annsHeaders = { 'x-user': 'ann' };

/** Ann follows her order while a process dies, on an open page. */
async function followOrder(world: Simulation): Promise<void> {
  await world.get(Shop).sell('7', 'ann');
  const ann = await world.client({ user: 'ann', headers: annsHeaders });
  await ann.subscribe('private-orders-7');
  await world.failover();
  await world.get(Shop).ship('7', 'ann');
  await world.run('10 seconds');
  expect(ann.received('shipped')).toEqual([{ order: '7' }]);
  expect(ann.received('on-its-way')).toHaveLength(1);
  expect(world.pushes).toEqual([]);
}

/** Remembers in the memory of one process. */
@Injectable()
class AccessInMemory extends Access {
  private readonly allowed = new Map<string, string>();

  async allow(order: string, user: string): Promise<void> {
    this.allowed.set(order, user);
  }

  async maySee(order: string, user: string): Promise<boolean> {
    return this.allowed.get(order) === user;
  }
}

/** Asks the table once per process, and remembers the answer, even if it is no. */
@Injectable()
class AccessInCache extends AccessInTable {
  private readonly known = new Map<string, boolean>();

  override async maySee(order: string, user: string): Promise<boolean> {
    const known = this.known.get(`${order} ${user}`);
    if (known !== undefined) return known;
    const answer = await super.maySee(order, user);
    this.known.set(`${order} ${user}`, answer);
    return answer;
  }
}

const failureOf = async (running: Promise<void>): Promise<string> =>
  running.then(
    () => 'nothing failed',
    (error: unknown) => (error as Error).message,
  );

describe('a simulation of a host', { timeout: 300_000 }, () => {
  it('shows notifications on a page that was silent for long', async () => {
    await simulate(ShopModule, { shared, seed: 1 }, async (world) => {
      await world.register({ user: 'ann' });
      const ann = await world.client({ user: 'ann', headers: annsHeaders });
      // After two, its client and the server make sure of each other by a ping.
      await world.run('3 minutes');
      await world.get(Shop).ship('7', 'ann');
      await world.run('10 seconds');
      expect(ann.received('on-its-way')).toHaveLength(1);
      expect(world.pushes).toEqual([]);
    });
  });

  it('runs on Fastify', async () => {
    await simulate(ShopModule, { shared, seed: 1, adapter: () => new FastifyAdapter() }, followOrder);
  });

  it('runs a seed the same way each time, and other seeds in other ways', async () => {
    const runs: string[][] = [];
    const trace = (line: string): void => {
      if (line.endsWith('outside: process 1 has started')) runs.push([]);
      runs.at(-1)!.push(line);
    };
    await simulate(ShopModule, { shared, trace, seeds: 2 }, followOrder);
    const [one, again, other] = runs;
    expect(again).toEqual(one);
    expect(other).not.toEqual(one);
  });

  it('finds an authorizer that remembers in one process who may subscribe, and fails again from its seed', async () => {
    const found = await failureOf(simulate(shopModule(AccessInMemory), { shared }, followOrder));
    expect(found).toMatch(/^Seed \d+ fails: .*private-orders-7 was refused/);
    expect(found).toContain('It fails the same way each time');
    const seed = Number(/Repeat it with simulate\(…, \{ seed: (\d+) \}/.exec(found)![1]);
    expect(await failureOf(simulate(shopModule(AccessInMemory), { shared, seed }, followOrder))).toBe(found);
  });

  it('finds a cache of refusals in one process, which only some seeds meet', async () => {
    const lateBuyer = async (world: Simulation): Promise<void> => {
      const ann = await world.client({ headers: annsHeaders });
      await expect(ann.subscribe('private-orders-8')).rejects.toThrow('refused');
      await world.get(Shop).sell('8', 'ann');
      await ann.subscribe('private-orders-8');
    };
    expect(await failureOf(simulate(shopModule(AccessInCache), { shared }, lateBuyer))).toMatch(/^Seed \d+ fails/);
    await simulate(ShopModule, { shared, seed: 1 }, lateBuyer);
  });

  it('calls a hook once over all processes, while faults that the seed chooses happen', async () => {
    await simulate(ShopModule, { shared, seed: 3 }, async (world) => {
      const [ann, other] = await Promise.all([1, 2].map(() => world.client({ headers: annsHeaders })));
      await Promise.all([ann!.subscribe('private-orders-7'), other!.subscribe('private-orders-7')]);
      await world.chaos('1 minute');
      await world.run('30 seconds');
      expect(await world.get(OrdersTable).openedChannels()).toEqual(['private-orders-7']);
      await world.get(Shop).ship('7', 'ann');
      await world.run('1 second');
      expect([ann, other].map((client) => client!.received('shipped'))).toEqual([[{ order: '7' }], [{ order: '7' }]]);
    });
  });

  it('pushes a notification once when no page shows it, though the process that sent it dies', async () => {
    await simulate(ShopModule, { shared, seed: 1 }, async (world) => {
      await world.register({ user: 'ann' });
      await world.get(Shop, 1).ship('7', 'ann');
      world.kill(1);
      await world.run('2 minutes');
      expect(world.pushes).toMatchObject([{ user: 'ann', payload: { notification: { title: 'On its way' } } }]);
    });
  });

  it('pauses and restarts processes, and delivers what a session missed', async () => {
    await simulate(ShopModule, { shared, seed: 1 }, async (world) => {
      const ann = await world.client({ headers: annsHeaders });
      await ann.subscribe('private-orders-7');
      const first = ann.process!;
      await world.restart(first);
      await world.settled();
      world.pause(ann.process!, '4 seconds');
      await world.get(Shop, first).ship('7', 'ann');
      expect((await ann.next('shipped')).data).toEqual({ order: '7' });
      ann.breakOff();
      await world.get(Shop).ship('7', 'ann');
      await world.settled();
      await world.run('1 second');
      expect(ann.received('shipped')).toHaveLength(2);
    });
  });

  it('delivers webhooks to the simulation', async () => {
    const webhooks = [{ url: 'https://hooks.shop.example/', events: ['channel_occupied'] as const }];
    const module = ChannelsModule.forRoot({ apps: [{ ...testingApp, webhooks }] });
    const { PresenceModule } = await import('rookery/presence');
    await simulate({ module: class {}, imports: [PresenceModule.forRoot(), module] }, { seed: 4 }, async (world) => {
      await (await world.client()).subscribe('news');
      await world.until(() => world.webhooks.length > 0);
      expect(world.webhooks).toMatchObject([{ body: { events: [{ name: 'channel_occupied', channel: 'news' }] } }]);
    });
  });

  it('notices an authorizer whose answers come from outside of the simulation', async () => {
    let answers = 0;
    @Injectable()
    class AccessByCounter extends AccessInTable {
      override async maySee(): Promise<boolean> {
        return (answers += 1) === 1;
      }
    }
    const failure = await failureOf(
      simulate(shopModule(AccessByCounter), { shared }, async (world) => {
        const ann = await world.client({ headers: annsHeaders });
        await ann.subscribe('private-orders-7').catch(() => undefined);
      }),
    );
    expect(failure).toContain('Seed 1 ran differently the second time');
    expect(failure).toMatch(/first: .*subscription_succeeded.*\n.*second: .*subscription_error/);
  });

  it('notices an authorizer that takes real time', async () => {
    const { setTimeout } = globalThis;
    @Injectable()
    class SlowAccess extends AccessInTable {
      override async maySee(): Promise<boolean> {
        await new Promise((resolve) => setTimeout(resolve, 100));
        return true;
      }
    }
    const failure = await failureOf(
      simulate(shopModule(SlowAccess), { shared }, async (world) => {
        const ann = await world.client({ headers: annsHeaders });
        await ann.subscribe('private-orders-7');
      }),
    );
    expect(failure).toMatch(/took real time|reads the real world/);
  });

  it('lets what was running in this process before keep to real time', async () => {
    const years = new Set<number>();
    let timer: NodeJS.Timeout;
    const goOn = (): void => {
      years.add(new Date().getFullYear()).add(new Date(Date.now() + Math.random()).getFullYear());
      randomUUID();
      timer = setTimeout(goOn, 1);
    };
    goOn();
    try {
      await simulate(ShopModule, { shared, seed: 1 }, followOrder);
      expect(timer!.constructor.name).toBe('Timeout');
    } finally {
      clearTimeout(timer!);
    }
    expect([...years].filter((year) => Math.abs(year - thisYear) > 1)).toEqual([]);
  });

  it('has the modules of each start draw other ids than those of the runs before', async () => {
    const drawn: number[] = [];
    @Module({ imports: [ShopModule] })
    class DrawingModule {
      constructor() {
        drawn.push(Math.random());
      }
    }
    for (let run = 0; run < 2; run++)
      await simulate(DrawingModule, { shared, seed: 1, processes: 1 }, (world) => world.run('1 second'));
    expect(drawn.length).toBeGreaterThan(2);
    expect(new Set(drawn).size).toBe(drawn.length);
  });

  it('leaves the clock and the timers as they were', async () => {
    const { setTimeout, Date } = globalThis;
    await simulate(ShopModule, { shared, seed: 1 }, (world) => world.run('1 minute'));
    expect(globalThis).toMatchObject({ setTimeout, Date });
    expect(Math.abs(new Date().getFullYear() - 2026)).toBeLessThan(50);
    await expect(readFile(__filename, 'utf8')).resolves.toBe(readFileSync(__filename, 'utf8'));
  });
});
