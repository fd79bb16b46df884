import { parseArgs } from 'node:util';
import { Logger } from '@nestjs/common';
import { simulatedBeams } from './beams/beams.js';
import { simulatedChannels } from './channels.js';
import { simulatedLimits } from './limits/limits.js';
import { simulatedBeamsUpgrades, simulatedUpgrades } from './upgrades/upgrades.js';
import { simulatedNotifications } from './notifications/notifications.js';
import type { Outcome } from './outcome.js';
import { nothingThrows } from '../../libs/testing/src/simulation/world.js';
import { firstFailing, type Search, shortest, type Simulated, withLies, withoutKinds } from './search.js';
import type { Failing, Schedule } from './shrink.js';

/** Real time: runs have a clock of their own. */
const now = performance.now.bind(performance);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const { values } = parseArgs({
  options: {
    /** Simulates Beams instead of Channels. */
    beams: flag,
    /** Simulates notifications instead. */
    notifications: flag,
    /** Simulates Channels whose app has limits. */
    limits: flag,
    /** Simulates Channels on PostgreSQL. */
    postgres: flag,
    /** Of Channels or Beams, with nodes of the previous release and of this revision, which replace each other. */
    upgrades: flag,
    /** Seeds, separated by commas. */
    seed: text,
    /** How many seeds to run, from the first of these on. */
    seeds: text,
    /** Or for how many seconds of real time to run them. */
    seconds: text,
    /** The simulated time in which operations happen. */
    minutes: text,
    /** Plants one fault, or with `all` one after the other. */
    fault: text,
    /** For how many seconds of real time a failing schedule is shrunk. */
    shrink: text,
    trace: flag,
    /** Kinds of lies that schedules have besides, separated by commas: see `lies.ts`. */
    lies: text,
    /** Kinds of operations to leave out, separated by commas: the rest of a schedule stays as it is. */
    without: text,
  },
});
const given = (values.seed ?? '1').split(',').map(Number);
const minutes = Number(values.minutes ?? 10);
const without = values.without?.split(',') ?? [];
const lies = values.lies?.split(',') ?? [];
const shrinkMs = 1000 * Number(values.shrink ?? 60);

function* seedsFrom(first: number): Iterable<number> {
  const end = values.seconds === undefined ? Infinity : now() + 1000 * Number(values.seconds);
  for (let seed = first; seed < first + Number(values.seeds ?? Infinity) && now() < end; seed++) yield seed;
}

const seeds = (): Iterable<number> =>
  values.seeds === undefined && values.seconds === undefined ? given : seedsFrom(given[0] ?? 1);

const figures = (seed: number, { events, deliveries, gaps, kills, simulatedMs, trace }: Outcome): string =>
  `seed ${seed}: ${events} events, ${deliveries} deliveries, ${gaps} gaps, ${kills} kills, ` +
  `${(simulatedMs / 60_000).toFixed(1)} simulated minutes, trace ${trace}`;

async function explain<Its extends Schedule>(failing: Failing<Its>, search: Search<Its>): Promise<void> {
  const { seed } = failing.schedule;
  say(`seed ${seed} fails: ${failing.outcome.failure}`);
  const end = now() + shrinkMs;
  const { schedule, outcome } = await shortest(failing, search, () => now() < end);
  say(`the shortest schedule found, ${search.of.describe(schedule)}:`);
  for (const { at, kind, ...rest } of schedule.operations) say(`  ${at} ms ${kind} ${JSON.stringify(rest)}`);
  say(`  ${Math.round(outcome.simulatedMs)} ms: ${outcome.failure}`);
}

/** @returns whether a seed finds it that finds nothing without it */
async function findFault<Its extends Schedule>(of: Simulated<Its>, name: string): Promise<boolean> {
  const startedAt = now();
  const took = (): string => `in ${((now() - startedAt) / 1000).toFixed(1)} s`;
  for (const seed of seeds()) {
    const failing = await firstFailing([seed], { of, minutes, prepare: of.faults[name] });
    // A node that cannot start shows nothing.
    if (!failing || failing.outcome.failure?.startsWith(nothingThrows) || (await firstFailing([seed], { of, minutes })))
      continue;
    say(`found: ${name}, by seed ${seed} ${took()}: ${failing.outcome.failure}`);
    return true;
  }
  say(`not found: ${name}, ${took()}`);
  return false;
}

async function main<Its extends Schedule & { readonly nodes: number }>(all: Simulated<Its>): Promise<boolean> {
  const of = withLies(withoutKinds(all, without), lies);
  if (values.fault === 'all') {
    let missed = 0;
    for (const name of Object.keys(of.faults)) if (!(await findFault(of, name))) missed += 1;
    return missed === 0;
  }
  const print = values.trace ? say : undefined;
  const prepare = values.fault === undefined ? undefined : { ...of.faults, ...of.rareFaults }[values.fault];
  const search = { of, minutes, print, prepare };
  const failing = await firstFailing(seeds(), search, (seed, outcome) => say(figures(seed, outcome)));
  if (failing) await explain(failing, search);
  return !failing;
}

Logger.overrideLogger(values.trace ? ['error', 'warn'] : false);
process.on('unhandledRejection', (error) => {
  say(`an unhandled rejection: ${error instanceof Error ? error.stack : String(error)}`);
  process.exit(1);
});
// Of a run that waits for something that never comes, Node would report success.
const onStandstill = (): void => {
  say('the run stands still: it waits for what never happens');
  process.exit(1);
};
process.once('exit', onStandstill);
const isFlawless = values.beams
  ? main(values.upgrades ? simulatedBeamsUpgrades : simulatedBeams)
  : values.notifications
    ? main(simulatedNotifications)
    : values.limits
      ? main(simulatedLimits)
      : values.postgres
        ? main((await import('./postgres/simulated-postgres.js')).simulatedPostgres)
        : values.upgrades
          ? main(simulatedUpgrades)
          : main(simulatedChannels);
const code = (await isFlawless) ? 0 : 1;
process.off('exit', onStandstill);
process.exit(code);
