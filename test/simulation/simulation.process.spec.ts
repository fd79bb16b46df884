import { beforeAll, expect, it } from 'vitest';
import { buildSimulation, kinds, simulate } from './command.js';

beforeAll(buildSimulation);

// test/soak/simulated-seeds.spec.ts tries more of them, and plants faults.
it.each(kinds)(
  'finds nothing with a seed of %s',
  async (_, args) => {
    const { code, lines } = await simulate(...args, '--seed', '1');
    expect(lines).toEqual([expect.stringMatching(/^seed 1: .* trace \w+$/)]);
    expect(code, lines.join('\n')).toBe(0);
  },
  120_000,
);

it('runs the same from the same seed', async () => {
  const seeds = (...numbers: readonly number[]) => simulate('--seed', numbers.join(), '--minutes', '0.3');
  const [both, again] = [await seeds(3, 4), await seeds(3)];
  const [three = '', four = ''] = both.lines;
  expect(again.lines).toEqual([three]);
  const traceOf = (line: string) => /trace (\w+)/.exec(line)![1];
  expect(traceOf(three)).not.toBe(traceOf(four));
}, 120_000);

it('prints the seed of a failing run, what is broken, and a short schedule that breaks it too', async () => {
  const { code, lines } = await simulate(
    '--fault',
    'returning clients are sent nothing',
    '--seed',
    '1',
    '--minutes',
    '0.5',
  );
  expect(code).toBe(1);
  const at = lines.findIndex((line) => line.startsWith('seed 1 fails: client '));
  expect(at).toBeGreaterThan(0);
  const operations = lines.slice(at + 2, -1);
  // A client with a session connects, subscribes and breaks off; an event is triggered.
  expect(operations.join('\n')).toMatch(/connect [^]*subscribe [^]*trigger /);
  expect(operations.length).toBeLessThan(12);
}, 240_000);
