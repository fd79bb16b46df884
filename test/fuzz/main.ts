import { parseArgs } from 'node:util';
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import { keepInputs, keptInputs } from './corpora.js';
import { inThread, runStage, type Stage, type Staged, toBytes, toText } from './stage.js';
import { planted, targets } from './targets/index.js';

interface Bounds {
  readonly seed: number;
  readonly seconds: number;
  readonly inputs: number;
  readonly jobs: number;
  readonly keep: boolean;
  readonly stuckAfter: number;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** For how many seconds code is counted at most: later inputs rarely reach more. */
const maxExplored = 60;

/** The corpora stay small: later finds reach less. */
const maxKept = 150;

interface Run {
  readonly explored: Staged;
  readonly inputs: number;
  readonly broken: Staged['broken'];
}

/** Explores first, then runs inputs made of those that reached code of their own. */
async function run(shared: Pick<Stage, 'name' | 'seed' | 'kept' | 'seconds' | 'inputs' | 'stuckAfter'>): Promise<Run> {
  const { seed, seconds, inputs } = shared;
  const startedAt = performance.now();
  const explored = await inThread({
    ...shared,
    seconds: Math.min(seconds / 3, maxExplored),
    inputs: inputs / 20,
    isCovered: true,
  });
  if (explored.broken) return { explored, inputs: explored.inputs, broken: explored.broken };
  const left = { seconds: seconds - (performance.now() - startedAt) / 1000, inputs: inputs - explored.inputs };
  const second = await inThread({ ...shared, ...left, seed: seed + 1, kept: explored.corpus, isCovered: false });
  return { explored, inputs: explored.inputs + second.inputs, broken: second.broken };
}

async function fuzz(name: string, { seed, seconds, inputs, jobs, keep, stuckAfter }: Bounds): Promise<boolean> {
  const kept = keptInputs(name);
  const startedAt = performance.now();
  const usedBefore = process.cpuUsage();
  const share = { name, kept: kept.map(toText), seconds: seconds / jobs, inputs: inputs / jobs, stuckAfter };
  const runs = await Promise.all(Array.from({ length: jobs }, (_, job) => run({ ...share, seed: seed + 2 * job })));
  const count = runs.reduce((sum, each) => sum + each.inputs, 0);
  const { user, system } = process.cpuUsage(usedBefore);
  const took = `${((performance.now() - startedAt) / 1000).toFixed(0)} s (${((user + system) / 1e6).toFixed(0)} s of CPU)`;
  const { corpus, reached } = runs[0]!.explored;
  say(
    `${name}: ${count} inputs in ${took}, ${corpus.length} reach code of their own, ${(reached / 1000).toFixed(0)} KB of code in all, seed ${seed}`,
  );
  const isPlanted = name in planted;
  if (keep && !isPlanted) keepInputs(name, corpus.slice(0, maxKept).map(toBytes));
  const broken = runs.flatMap((each) => each.broken ?? []);
  for (const { text } of broken)
    say(`${name} is broken by an input (--target ${name} --seed ${seed} --jobs ${jobs}):\n${text}`);
  // The test of the corpora would never end with an input from which a target never returns.
  const found = broken.filter(({ isStuck = false }) => !isStuck).map(({ input }) => toBytes(input));
  if (found.length > 0 && !isPlanted) keepInputs(name, [...kept, ...found]);
  return broken.length === 0;
}

async function main(): Promise<boolean> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      /** Names of targets, with commas between. */
      target: text,
      /** How many inputs of each. */
      inputs: text,
      /** For how many seconds of each, over all jobs. */
      seconds: text,
      seed: text,
      /** How many threads share each target. */
      jobs: text,
      /** After how many seconds with one input a target is stuck. */
      'stuck-after': text,
      /** Writes the inputs that reach code of their own into the corpora. */
      keep: { type: 'boolean' },
    },
  });
  const names = values.target?.split(',') ?? Object.keys(targets);
  const unknown = names.find((name) => !(name in targets) && !(name in planted));
  if (unknown !== undefined) throw new Error(`--target must be of ${Object.keys(targets).join(', ')}, got ${unknown}`);
  const bounds = {
    seed: Number(values.seed ?? Date.now() % 1_000_000_000),
    seconds: Number(values.seconds ?? (values.inputs === undefined ? 10 : Infinity)),
    inputs: Number(values.inputs ?? Infinity),
    jobs: Number(values.jobs ?? 1),
    stuckAfter: Number(values['stuck-after'] ?? 60),
    keep: values.keep ?? false,
  };
  let isWhole = true;
  for (const name of names) isWhole = (await fuzz(name, bounds)) && isWhole;
  return isWhole;
}

Logger.overrideLogger(false);
if (isMainThread) process.exit((await main()) ? 0 : 1);
else {
  const { stage, memory } = workerData as { readonly stage: Stage; readonly memory: SharedArrayBuffer };
  parentPort!.postMessage(await runStage(stage, memory));
  process.exit(0);
}
