import { beforeAll, expect, it } from 'vitest';
import { buildSimulation, simulate } from './command.js';

beforeAll(buildSimulation);

/** What holds under each lie, with the words of docs/reliability.md for it. */
const holding = [
  ['clients see and get what they should while the clock of a process is an hour off', 'hour', []],
  ['limits are kept while the clock of a process is an hour off', 'hour', ['--limits']],
  ['each device gets each publish, or it expires, while the clock of a process is an hour off', 'hour', ['--beams']],
  ['each notification is shown or pushed while the clock of a process is an hour off', 'hour', ['--notifications']],
] as const;

it.each(holding)(
  '%s',
  async (_, lies, others) => {
    const { code, lines } = await simulate(...others, '--lies', lies, '--seed', '1', '--seeds', '2', '--minutes', '1');
    expect(code, lines.join('\n')).toBe(0);
    expect(lines).toHaveLength(2);
  },
  120_000,
);

/** Faults that do no harm unless something lies, with the seed that finds each, and the rule that it breaks. */
const planted = [
  ['counts are ordered by the clocks of their processes', 'hour', '1', /sees the count \d+ of [\w-]+ instead of \d+/],
] as const;

it.each(planted)(
  'finds a fault that only a lie shows: %s',
  async (fault, lies, seed, rule) => {
    const run = ['--fault', fault, '--seed', seed, '--minutes', '1', '--without', 'clock', '--shrink', '0'];
    const [lying, honest] = await Promise.all([simulate(...run, '--lies', lies), simulate(...run)]);
    expect(lying.lines.find((line) => line.includes(' fails: '))).toMatch(rule);
    expect(honest.code, honest.lines.join('\n')).toBe(0);
  },
  120_000,
);
