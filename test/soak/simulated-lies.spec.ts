import { beforeAll, expect, it } from 'vitest';
import { buildSimulation, simulate } from '../simulation/command.js';

beforeAll(buildSimulation);

const asked = (lies: string, ...others: readonly string[]) => simulate('--lies', lies, '--minutes', '1', ...others);

// What docs/reliability.md promises.
it.each([
  ['clients get what they should, and webhooks are in order, while a clock is an hour off', 'hour', []],
  ['limits are kept while a clock is an hour off', 'hour', ['--limits']],
  ['each device gets each publish, or it expires, while a clock is an hour off', 'hour', ['--beams']],
  ['each notification is shown or pushed while a clock is an hour off', 'hour', ['--notifications']],
  ['clients see the right counts in the end though counts are read from a replica that lags', 'lag-counts', []],
  ['clients see the right members though rosters are read from a replica that lags', 'lag-members', []],
  ['clients see the right members and counts though nodes see the writes of others late', 'late', []],
  ['members, counts and webhooks are right though writes of many rows are torn', 'torn', []],
  ['each device gets each publish though a replica that lags says what became of it', 'lag-publishes', ['--beams']],
] as const)(
  '%s',
  async (_, lies, others) => {
    const { code, lines } = await asked(lies, ...others, '--seed', '1', '--seeds', '2');
    expect(code, lines.join('\n')).toBe(0);
    expect(lines).toHaveLength(2);
  },
  120_000,
);

/** The rule that a run breaks. */
const brokenBy = ({ lines }: Awaited<ReturnType<typeof simulate>>): string =>
  lines.find((line) => line.includes(' fails: ')) ?? `nothing: ${lines.join('\n')}`;

// What it says does not hold.
it.each([
  ['histories', 'lag-history', '4', /with a session.*: e\d+ is missing before e\d+/],
  ['sessions', 'lag-sessions', '1', /with a session.*: e\d+ is missing before e\d+/],
] as const)(
  'loses events without a gap if %s are read from a replica that lags',
  async (_, lies, seed, rule) => {
    expect(brokenBy(await asked(lies, '--seed', seed, '--shrink', '0'))).toMatch(rule);
  },
  120_000,
);

/** Faults that do no harm unless something lies, with the seed that finds each, and the rule that it breaks. */
const planted = [
  ['a publish that is not found is done', '--beams --lies lag-publishes', '1', /: it has not finished/],
  [
    'a dead node counts as taken out though that failed',
    '--lies torn',
    '1',
    /sees the count \d+ of \S+ instead of \d+/,
  ],
  [
    'counts are ordered by the clocks of their processes',
    '--lies hour',
    '1',
    /sees the count \d+ of \S+ instead of \d+/,
  ],
  ['a roster is taken as it is', '--lies lag-members', '2', /sees the members \w* on \S+ instead of \w+/],
  ['a roster is taken as it is', '--lies late', '4', /was told that \w+ came, who was there/],
  [
    'a count is read again before it is announced',
    '--lies lag-counts',
    '8',
    /sees the count \d+ of \S+ instead of \d+/,
  ],
] as const;

it.each(planted)(
  'finds a fault that only a lie shows: %s, with %s',
  async (fault, lies, seed, rule) => {
    const run = ['--fault', fault, '--seed', seed, ...'--minutes 1 --without clock --shrink 0'.split(' ')];
    expect(brokenBy(await simulate(...run, ...lies.split(' ')))).toMatch(rule);
    const { code, lines } = await simulate(...run, ...lies.split(' ').filter((each) => each === '--beams'));
    expect(code, lines.join('\n')).toBe(0);
  },
  120_000,
);
