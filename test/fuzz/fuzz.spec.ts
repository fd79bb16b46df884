import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { Random } from '../support/random.js';
import { keptInputs } from './corpora.js';
import { Coverage } from './coverage.js';
import { Broken, Fuzzer } from './fuzzer.js';
import type { Target } from './target.js';
import { targets } from './targets/index.js';

describe.each(Object.entries(targets))('%s', (name, open) => {
  it('keep their promises for all inputs that are kept', async () => {
    const target = await open();
    try {
      const inputs = [...target.seeds.map((seed) => Buffer.from(seed)), ...keptInputs(name)];
      for (const input of inputs)
        // A run may change its input, as a reader does that unmasks in place.
        await expect(
          Promise.resolve(target.run(Buffer.from(input))),
          JSON.stringify(input.toString('latin1')),
        ).resolves.toBe(undefined);
      expect(inputs.length).toBeGreaterThan(target.seeds.length);
    } finally {
      await target.stop?.();
    }
    // Opening a whole application takes long on a busy machine.
  }, 60_000);
});

describe('the fuzzer', () => {
  const file = 'planted-fault.js';
  /** Each byte is worth finding only when the one before it was found. */
  const planted = `(bytes) => {
    if (bytes[0] !== 0x52) return;
    if (bytes[1] !== 0x6f) return;
    if (bytes[2] === 0x6f) throw new Error('planted');
  }`;
  const bounds = { inputs: 100_000, isOver: () => false };
  const target = (): Target => ({
    name: 'planted',
    seeds: ['aaaa'],
    run: new Script(planted, { filename: file }).runInThisContext() as Target['run'],
  });

  async function found(coverage: Coverage | undefined): Promise<Broken | undefined> {
    const fuzzer = new Fuzzer(target(), new Random(7), coverage);
    const error: unknown = await fuzzer.run([], bounds).catch((reason: unknown) => reason);
    if (error !== undefined && !(error instanceof Broken)) throw error;
    return error;
  }

  it('finds a fault behind three conditions by the code that its inputs reach, and not without', async () => {
    const coverage = new Coverage((url) => url === file);
    try {
      expect((await found(coverage))?.input.toString('latin1', 0, 3)).toBe('Roo');
    } finally {
      coverage.stop();
    }
    expect(await found(undefined)).toBeUndefined();
    // V8 reports all that a process has loaded at each look: late in a run of all specs, that is slow.
  }, 60_000);

  it('makes the same inputs of the same seed', async () => {
    const made = async (seed: number): Promise<string[]> => {
      const inputs: string[] = [];
      const fuzzer = new Fuzzer(
        { name: 'any', seeds: ['{"a":1}'], batch: 10, run: (input) => void inputs.push(input.toString('hex')) },
        new Random(seed),
      );
      await fuzzer.run([], { inputs: 500, isOver: () => false });
      return inputs;
    };
    expect(await made(3)).toEqual(await made(3));
    expect(await made(3)).not.toEqual(await made(4));
  });
});
