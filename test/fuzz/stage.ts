import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { Random } from '../support/random.js';
import { Coverage } from './coverage.js';
import { Broken, Fuzzer } from './fuzzer.js';
import { InputUnderWay } from './input-under-way.js';
import { planted, targets } from './targets/index.js';

/** One thread's share of the work on a target. */
export interface Stage {
  readonly name: string;
  readonly seed: number;
  /** In Latin-1. */
  readonly kept: readonly string[];
  readonly seconds: number;
  readonly inputs: number;
  readonly isCovered: boolean;
  /** After how many seconds with one input it is stuck. */
  readonly stuckAfter: number;
}

export interface Staged {
  readonly inputs: number;
  readonly corpus: readonly string[];
  /** Characters of the sources that ran. */
  readonly reached: number;
  /** The input that broke what must hold, and how. */
  readonly broken?: { readonly input: string; readonly text: string; readonly isStuck?: boolean };
}

export const toText = (bytes: Buffer): string => bytes.toString('latin1');
export const toBytes = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Runs a stage in a thread of its own: code that V8 has once counted stays slow. */
export function inThread(stage: Stage): Promise<Staged> {
  const underWay = new InputUnderWay();
  const thread = new Worker(new URL(import.meta.url), { workerData: { stage, memory: underWay.memory }, argv: [] });
  return new Promise<Staged>((resolve, reject) => {
    const watch = setInterval(() => {
      const input = underWay.stuckFor(1000 * stage.stuckAfter, spentMs(thread));
      if (!input) return;
      const text = `${JSON.stringify(toText(input))}: it takes longer than ${stage.stuckAfter} s`;
      resolve({ inputs: 0, corpus: [], reached: 0, broken: { input: toText(input), text, isStuck: true } });
    }, 500);
    thread.once('message', resolve).once('error', reject);
    thread.once('exit', () => clearInterval(watch));
  }).finally(() => void thread.terminate());
}

/** Time to work in, used or idle: on a busy machine, a thread may get none of it for a minute. */
function spentMs(thread: Worker): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + thread.performance.eventLoopUtilization().idle;
}

/** The folder of the bundle: the code of this repository. */
const bundle = new URL('.', import.meta.url).href;

/** The work of such a thread. */
export async function runStage(stage: Stage, memory: SharedArrayBuffer): Promise<Staged> {
  // Refused inputs are errors, and taking their stacks takes longer than all else.
  Error.stackTraceLimit = 0;
  const end = performance.now() + 1000 * stage.seconds;
  const target = await { ...targets, ...planted }[stage.name]!();
  const coverage = stage.isCovered ? new Coverage((url) => url.startsWith(bundle)) : undefined;
  const fuzzer = new Fuzzer(target, new Random(stage.seed), coverage, new InputUnderWay(memory));
  const staged = (): Staged => ({
    inputs: fuzzer.inputs,
    corpus: fuzzer.corpus.map(toText),
    reached: coverage?.reached ?? 0,
  });
  try {
    const isOver = (): boolean => performance.now() > end;
    await fuzzer.run(stage.kept.map(toBytes), { inputs: stage.inputs, isOver });
    return staged();
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return { ...staged(), broken: { input: toText(error.input), text: error.message } };
  } finally {
    coverage?.stop();
    await target.stop?.();
  }
}
