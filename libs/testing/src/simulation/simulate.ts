import { AsyncLocalStorage } from 'node:async_hooks';
import { ConsoleLogger, type INestApplication, type InjectionToken, Logger, type LoggerService } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import { PushGateways } from 'rookery/internal/publish';
import { FakeApnsGateway } from '../gateways/fake-apns.gateway.js';
import { FakeFcmGateway } from '../gateways/fake-fcm.gateway.js';
import { FakeWebGateway } from '../gateways/fake-web.gateway.js';
import { PushRecord } from '../gateways/push-record.js';
import type { Imports } from '../modules-among.js';
import { seedIds } from './seeded-ids.js';
import { SharedState } from './shared-state.js';
import { SimulatedCluster } from './simulated-cluster.js';
import { SimulatedReceiver } from './simulated-receiver.js';
import { Simulation } from './simulation.js';
import { inhabit, leave } from './world-timers.js';
import { nextTurn, World } from './world.js';

/** Options of {@link simulate}. */
export interface SimulateOptions {
  /** Runs only this seed, such as one that failed. */
  readonly seed?: number;
  /** How many seeds to run, from 1. @default 20 */
  readonly seeds?: number;
  /** @default 3 */
  readonly processes?: number;
  /** Providers of your module that all processes share, as they share your database: their methods return promises. */
  readonly shared?: readonly InjectionToken[];
  /** Overrides providers and modules, such as those that connect to something. */
  readonly override?: (builder: TestingModuleBuilder) => unknown;
  /** The platform, such as `() => new FastifyAdapter()`. @default Nest's own: Express */
  readonly adapter?: () => AbstractHttpAdapter;
  /** What your `main.ts` does with the application: prefixes, pipes. */
  readonly prepare?: (app: INestApplication) => unknown;
  /** Gets each line of the trace, as it happens. */
  readonly trace?: (line: string) => void;
}

/** A story to simulate: it lets clients and providers do something, and asserts what must hold. */
export type Story = (world: Simulation) => Promise<unknown>;

/** What became of a run. */
interface Run {
  readonly trace: readonly string[];
  readonly error: unknown;
}

/** What was running in this process before, such as an idle connection of another test, keeps to real time. */
const ofSimulation = new AsyncLocalStorage<true>();
const isOfSimulation = (): boolean => ofSimulation.getStore() === true;
const shownLines = 40;
/** How long processes may take to end after the story, in simulated milliseconds. */
const endMs = 30_000;
let before: Promise<void> = Promise.resolve();

/**
 * Runs a story with several processes of your module, once for each seed. The seed decides how long messages travel,
 * which process a client gets, and what {@link Simulation.chaos} does. Throws for the first seed that fails, with the
 * call that repeats it; and if a seed does not run the same way twice, because something reads the real world.
 */
export function simulate(module: Imports[number], options: SimulateOptions, story: Story): Promise<void> {
  // One after the other, because each replaces the clock of this process.
  const simulated = before.then(() => simulateAlone(module, options, story));
  before = simulated.catch(() => undefined);
  return simulated;
}

async function simulateAlone(module: Imports[number], options: SimulateOptions, story: Story): Promise<void> {
  const { seed, seeds = 20 } = options;
  const first = seed ?? 1;
  const last = seed ?? seeds;
  for (let each = first; each <= last; each++) {
    const run = await runOf(module, each, options, story);
    // One seed shows whether runs can be replayed, and a failing one whether this one can.
    const again = each === first || run.error !== undefined ? await runOf(module, each, options, story) : run;
    const difference = firstDifference(run.trace, again.trace);
    if (run.error !== undefined) throw failureOf(each, run, difference);
    if (difference !== undefined) throw new Error(differs(each, difference));
  }
}

async function runOf(module: Imports[number], seed: number, options: SimulateOptions, story: Story): Promise<Run> {
  const trace: string[] = [];
  let isOver = false;
  const print = (line: string): void => {
    if (isOver) return;
    trace.push(line);
    options.trace?.(line);
  };
  const world = new World(seed, print, nextTurn);
  const over = (): void => {
    isOver = true;
    trace.push(`${world.events} events`);
  };
  inhabit(world, isOfSimulation);
  const restoreIds = seedIds(world.random('ids'), isOfSimulation);
  let error: unknown;
  try {
    await ofSimulation.run(true, () => tell(world, module, options, story, over));
  } catch (thrown) {
    error = thrown ?? new Error('The story threw nothing');
  } finally {
    restoreIds();
    leave();
    // As a testing module leaves it.
    Logger.overrideLogger(new ConsoleLogger({ logLevels: ['error', 'fatal'] }));
  }
  return { trace, error };
}

/** @param over called when the story is over */
async function tell(
  world: World,
  module: Imports[number],
  options: SimulateOptions,
  story: Story,
  over: () => void,
): Promise<void> {
  const { processes = 3, shared: ofHost = [], override, prepare, adapter } = options;
  const logger = loggerOf(world);
  const builder = (): TestingModuleBuilder => {
    const built = Test.createTestingModule({ imports: [module] }).setLogger(logger);
    override?.(built);
    return built;
  };
  const create = async (built: TestingModuleBuilder): Promise<INestApplication> => {
    const compiled = await built.compile();
    const settings = { rawBody: true, logger };
    const app = adapter
      ? compiled.createNestApplication(adapter(), settings)
      : compiled.createNestApplication(settings);
    await prepare?.(app);
    return app;
  };
  const shared = new SharedState();
  const { devices, outbox } = shared;
  if (ofHost.length > 0)
    await world.standStill(shared.party, async () => shared.take(await builder().compile(), ofHost));
  const record = new PushRecord();
  record.stores = { devices, outbox };
  const gateways = {
    apns: new FakeApnsGateway(record),
    fcm: new FakeFcmGateway(record),
    web: new FakeWebGateway(record),
  };
  const receiver = new SimulatedReceiver(world);
  const cluster = new SimulatedCluster(
    {
      world,
      shared,
      builder,
      create,
      gateways: new PushGateways(Object.values(gateways)),
      webhookClient: (party) => receiver.clientOf(party),
    },
    processes,
  );
  await cluster.startAll();
  const { pushes } = record;
  const simulation = new Simulation({ world, cluster, gateways, pushes, webhooks: receiver.webhooks });
  try {
    await story(simulation);
  } finally {
    over();
    await end(world, cluster);
  }
  if (world.failure !== undefined) throw new Error(world.failure);
}

/** Ends the processes in good order, so that they close what they have opened. */
async function end(world: World, cluster: SimulatedCluster): Promise<void> {
  let left = cluster.serving.length;
  for (const process of cluster.serving) cluster.stop(process, () => (left -= 1));
  await world.runUntil(world.now + endMs, () => left === 0);
}

function loggerOf(world: World): LoggerService {
  const ignore = (): void => {};
  const note = (message: unknown): void => {
    // A process that starts warns of what is kept in memory, which is shared here.
    if (world.isStill) return;
    world.note(`logs ${(message instanceof Error ? message.message : String(message)).split('\n', 1)[0]!}`);
  };
  return { log: ignore, debug: ignore, verbose: ignore, warn: note, error: note, fatal: note };
}

interface Difference {
  readonly once: string;
  readonly again: string;
}

function firstDifference(once: readonly string[], again: readonly string[]): Difference | undefined {
  for (let at = 0; at < Math.max(once.length, again.length); at++)
    if (once[at] !== again[at]) return { once: once[at] ?? 'nothing', again: again[at] ?? 'nothing' };
  return undefined;
}

const differs = (seed: number, { once, again }: Difference): string =>
  `Seed ${seed} ran differently the second time, so something reads the real world: a file, a network, a worker, state ` +
  `outside of the providers, or a clock that the simulation does not replace.\n  first:  ${once}\n  second: ${again}`;

function failureOf(seed: number, { trace, error }: Run, difference: Difference | undefined): Error {
  const message = error instanceof Error ? error.message : String(error);
  const repeat = `Repeat it with simulate(…, { seed: ${seed} }, …).`;
  const replay = difference ? differs(seed, difference) : `It fails the same way each time. ${repeat}`;
  const lines = trace.slice(-shownLines).map((line) => `  ${line}`);
  return new Error([`Seed ${seed} fails: ${message}`, '', replay, 'What happened last:', ...lines].join('\n'), {
    cause: error,
  });
}
