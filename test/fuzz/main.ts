import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Logger } from '@nestjs/common';
import { Random } from '../support/random.js';
import { keepInputs, keptInputs } from './corpora.js';
import { Coverage } from './coverage.js';
import { Broken, Fuzzer } from './fuzzer.js';
import { targets } from './targets/index.js';

/** One thread's share of the work on a target. */
interface Stage {
  readonly name: string;
  readonly seed: number;
  readonly kept: readonly string[];
  readonly seconds: number;
  readonly inputs: number;
  readonly isCovered: boolean;
}

interface Staged {
  readonly inputs: number;
  readonly corpus: readonly string[];
  /** Characters of the sources that ran. */
  readonly reached: number;
  readonly broken?: { readonly input: string; readonly text: string };
}

async function run({ name, seed, kept, seconds, inputs, isCovered }: Stage): Promise<Staged> {
  // Refused inputs are errors, and taking their stacks takes longer than all else.
  Error.stackTraceLimit = 0;
  const target = await targets[name]!();
  const coverage = isCovered ? new Coverage((url) => url === import.meta.url) : undefined;
  const fuzzer = new Fuzzer(target, new Random(seed), coverage);
  const end = performance.now() + 1000 * seconds;
  const staged = (): Staged => ({
    inputs: fuzzer.inputs,
    corpus: fuzzer.corpus.map(toText),
    reached: coverage?.reached ?? 0,
  });
  try {
    const isOver = (): boolean => performance.now() > end;
    await fuzzer.run(kept.map(toBytes), { inputs, isOver });
    return staged();
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return { ...staged(), broken: { input: toText(error.input), text: error.message } };
  } finally {
    coverage?.stop();
    await target.stop?.();
  }
}

const toText = (bytes: Buffer): string => bytes.toString('latin1');
const toBytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** With coverage, in a thread of its own: code that V8 has once counted stays slow. */
function explored(stage: Stage): Promise<Staged> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: stage, argv: [] });
    worker.once('message', resolve).once('error', reject);
  });
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** For how many seconds code is counted at most: later inputs rarely reach more. */
const mostExplored = 60;

/** The corpora stay small: later finds reach less. */
const mostKept = 150;

async function fuzz(name: string, bounds: { seed: number; seconds: number; inputs: number; keep: boolean }) {
  const { seed, seconds, inputs, keep } = bounds;
  const kept = keptInputs(name);
  const startedAt = performance.now();
  const shared = { name, seed, kept: kept.map(toText) };
  const first = await explored({
    ...shared,
    seconds: Math.min(seconds / 3, mostExplored),
    inputs: inputs / 20,
    isCovered: true,
  });
  const left = { seconds: seconds - (performance.now() - startedAt) / 1000, inputs: inputs - first.inputs };
  const second = first.broken
    ? first
    : await run({ ...shared, ...left, seed: seed + 1, kept: first.corpus, isCovered: false });
  const count = first.broken ? first.inputs : first.inputs + second.inputs;
  const took = (performance.now() - startedAt) / 1000;
  const kilobytes = (first.reached / 1000).toFixed(0);
  say(
    `${name}: ${count} inputs in ${took.toFixed(0)} s, ${first.corpus.length} reach code of their own, ${kilobytes} KB of code in all, seed ${seed}`,
  );
  if (keep) keepInputs(name, first.corpus.slice(0, mostKept).map(toBytes));
  if (!second.broken) return true;
  say(`${name} is broken by an input, which is now kept in its corpus:\n${second.broken.text}`);
  keepInputs(name, [...kept, toBytes(second.broken.input)]);
  return false;
}

async function main(): Promise<boolean> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      /** Names of targets, with commas between. */
      target: text,
      /** How many inputs of each. */
      inputs: text,
      /** For how many seconds of each. */
      seconds: text,
      seed: text,
      /** Writes the inputs that reach code of their own into the corpora. */
      keep: { type: 'boolean' },
    },
  });
  const known = Object.keys(targets);
  const names = values.target?.split(',') ?? known;
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`--target must be of ${known.join(', ')}, got ${unknown}`);
  const bounds = {
    seed: Number(values.seed ?? Date.now() % 1_000_000_000),
    seconds: Number(values.seconds ?? (values.inputs === undefined ? 10 : Infinity)),
    inputs: Number(values.inputs ?? Infinity),
    keep: values.keep ?? false,
  };
  let isWhole = true;
  for (const name of names) isWhole = (await fuzz(name, bounds)) && isWhole;
  return isWhole;
}

Logger.overrideLogger(false);
if (isMainThread) process.exit((await main()) ? 0 : 1);
else {
  parentPort!.postMessage(await run(workerData as Stage));
  process.exit(0);
}
