import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { buildSimulation, simulate } from '../simulation/command.js';

beforeAll(buildSimulation);

/** Of runs that found a fault, of Rookery or of the model, which is mended. */
const failed = readFileSync(new URL('../simulation/failed-seeds.txt', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('--'))
  .map((line) => line.split(':', 1)[0]!);

/** Kinds of operations that came after the seeds below. */
const withoutNew = 'say,failover,outage,refuse';

it.each(failed)(
  'finds nothing with %s, which once failed',
  async (run) => {
    const { code, lines } = await simulate(...run.split(' '), '--shrink', '0');
    expect(code, lines.join('\n')).toBe(0);
  },
  120_000,
);

/** With the rule that each must break. */
it.each([
  ['a connection takes the session before its client has spoken', '451', /^client \d+ .*: e\d+ is missing before e\d+/],
  [
    'changes of members do not say what they follow',
    '5050',
    /^client \d+ .*: it was told that \w+ came, who was there/,
  ],
  [
    'webhooks say that something is gone after another node may say that it is back',
    '5016',
    /^webhooks said twice in a row: channel_occupied/,
  ],
])(
  'finds a fault that once stood in Rookery: %s',
  async (fault, seed, rule) => {
    const run = ['--seed', seed, '--minutes', '2', '--without', withoutNew, '--shrink', '0'];
    const { lines } = await simulate('--fault', fault, ...run);
    const [, broken = lines.join('\n')] =
      lines.map((line) => line.split(`seed ${seed} fails: `)).find((parts) => parts.length > 1) ?? [];
    expect(broken).toMatch(rule);
    // Without the fault, nothing is found.
    expect((await simulate(...run)).code).toBe(0);
  },
  120_000,
);

it('finds each fault that is planted in Beams', async () => {
  const { lines } = await simulate('--beams', '--fault', 'all', '--seeds', '12', '--minutes', '0.5');
  expect(lines.filter((line) => !line.startsWith('found: '))).toEqual([]);
  expect(lines.length).toBeGreaterThanOrEqual(8);
}, 240_000);

it('finds each fault that is planted in limits', async () => {
  const { lines } = await simulate('--limits', '--fault', 'all', '--seeds', '30', '--minutes', '1');
  expect(lines.filter((line) => !line.startsWith('found: '))).toEqual([]);
  expect(lines.length).toBeGreaterThanOrEqual(10);
}, 240_000);

it('finds each fault that is planted in notifications', async () => {
  const { lines } = await simulate('--notifications', '--fault', 'all', '--seeds', '60', '--minutes', '2');
  expect(lines.filter((line) => !line.startsWith('found: '))).toEqual([]);
  expect(lines.length).toBeGreaterThanOrEqual(5);
}, 240_000);
