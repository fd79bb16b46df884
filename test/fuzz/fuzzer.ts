import type { Random } from '../support/random.js';
import type { Coverage } from './coverage.js';
import type { InputUnderWay } from './input-under-way.js';
import { Mutator } from './mutator.js';
import type { Target } from './target.js';

/** An input that breaks what must hold. */
export class Broken extends Error {
  constructor(
    readonly input: Buffer,
    override readonly cause: unknown,
  ) {
    super(`${JSON.stringify(input.toString('latin1'))}: ${cause instanceof Error ? cause.stack : String(cause)}`);
  }
}

/** When to stop: whichever comes first. */
export interface Bounds {
  readonly inputs: number;
  readonly isOver: () => boolean;
}

/**
 * Runs a target on ever new inputs and keeps those that reach new code: the next ones are made of them. V8's counters
 * take milliseconds to read, so they are read once for a batch; one with new code is run again in halves, until single
 * inputs have it.
 */
export class Fuzzer {
  /** Inputs that reached new code, each when it was found. */
  readonly corpus: Buffer[] = [];
  inputs = 0;
  private readonly mutator: Mutator;

  constructor(
    private readonly target: Target,
    random: Random,
    /** Without it, all inputs are made of those that are kept, and run several times as fast. */
    private readonly coverage?: Coverage,
    private readonly underWay?: InputUnderWay,
  ) {
    this.mutator = new Mutator(random);
  }

  /** @throws Broken with the first input that breaks what must hold */
  async run(kept: readonly Buffer[], { inputs, isOver }: Bounds): Promise<void> {
    this.coverage?.forget();
    for (const input of [...this.target.seeds.map((seed) => Buffer.from(seed)), ...kept]) {
      this.mutator.learn(input);
      await this.keepNew([input]);
      if (!this.coverage) this.corpus.push(input);
    }
    if (this.corpus.length === 0) throw new Error(`No code of ${this.target.name} runs that is watched`);
    const { batch = 2000 } = this.target;
    while (this.inputs < inputs && !isOver())
      await this.keepNew(Array.from({ length: batch }, () => this.mutator.mutated(this.corpus)));
  }

  /** Runs them, and keeps those with new code. */
  private async keepNew(inputs: readonly Buffer[]): Promise<void> {
    await this.runAll(inputs);
    const newCode = this.coverage?.look();
    if (!newCode) return;
    const [input] = inputs;
    if (inputs.length === 1 && input) this.keep(input);
    else {
      const middle = inputs.length >> 1;
      await this.keepNew(inputs.slice(0, middle));
      await this.keepNew(inputs.slice(middle));
    }
    // What ran in the batch and in neither half depends on more than the input: it is not looked for again.
    newCode.remember();
  }

  private keep(input: Buffer): void {
    this.mutator.learn(input);
    this.corpus.push(input);
  }

  private async runAll(inputs: readonly Buffer[]): Promise<void> {
    this.inputs += inputs.length;
    const { atOnce = 1 } = this.target;
    for (let at = 0; at < inputs.length; at += atOnce) {
      // Most targets are synchronous, and a promise for each input costs more than they do.
      const running = inputs.slice(at, at + atOnce).flatMap((input) => this.start(input) ?? []);
      if (running.length > 0) await Promise.all(running);
    }
  }

  private start(input: Buffer): Promise<void> | undefined {
    this.underWay?.begin(input);
    try {
      return this.target.run(Buffer.from(input))?.catch((cause: unknown) => this.fail(input, cause));
    } catch (cause) {
      return this.fail(input, cause);
    }
  }

  private async fail(input: Buffer, cause: unknown): Promise<never> {
    throw new Broken(input, (await this.again(input)) ?? cause);
  }

  /** What a broken input throws when it is run once more, now with a stack. */
  private async again(input: Buffer): Promise<unknown> {
    Error.stackTraceLimit = 30;
    try {
      await this.target.run(Buffer.from(input));
      return undefined;
    } catch (cause) {
      return cause;
    }
  }
}
