import { beforeAll, expect, it } from 'vitest';
import { buildSimulation, simulate } from './command.js';

beforeAll(buildSimulation);

it('finds nothing with these seeds', async () => {
  const { code, lines } = await simulate('--seed', '1', '--seeds', '4', '--minutes', '0.5');
  expect(lines).toHaveLength(4);
  expect(code, lines.join('\n')).toBe(0);
}, 120_000);

it('finds nothing with these seeds of Beams', async () => {
  const { code, lines } = await simulate('--beams', '--seed', '1', '--seeds', '2', '--minutes', '0.5');
  expect(lines).toHaveLength(2);
  expect(code, lines.join('\n')).toBe(0);
}, 120_000);

it('finds nothing with these seeds of notifications', async () => {
  const { code, lines } = await simulate('--notifications', '--seed', '1', '--seeds', '2', '--minutes', '1');
  expect(lines).toHaveLength(2);
  expect(code, lines.join('\n')).toBe(0);
}, 120_000);

it('finds nothing with these seeds of limits', async () => {
  const { code, lines } = await simulate('--limits', '--seed', '1', '--seeds', '2', '--minutes', '0.5');
  expect(lines).toHaveLength(2);
  expect(code, lines.join('\n')).toBe(0);
}, 120_000);

it('finds nothing with these seeds of upgrades', async () => {
  const { code, lines } = await simulate('--upgrades', '--seed', '1', '--seeds', '3', '--minutes', '0.5');
  expect(lines).toHaveLength(3);
  expect(code, lines.join('\n')).toBe(0);
}, 120_000);

it('finds nothing with these seeds of upgrades of Beams', async () => {
  const { code, lines } = await simulate('--upgrades', '--beams', '--seed', '1', '--seeds', '2', '--minutes', '0.5');
  expect(lines).toHaveLength(2);
  expect(code, lines.join('\n')).toBe(0);
}, 120_000);

it.each([
  ['Channels', [], '17', 3],
  ['Beams', ['--beams'], '3', 1],
])(
  'finds what nodes of the previous build do not understand of %s',
  async (_, kind, seed, count) => {
    const { code, lines } = await simulate('--upgrades', ...kind, '--fault', 'all', '--seed', seed, '--minutes', '0.5');
    expect(lines.filter((line) => line.startsWith('found: the previous build'))).toHaveLength(count);
    expect(code, lines.join('\n')).toBe(0);
  },
  120_000,
);

it('runs the same from the same seed', async () => {
  const twoSeeds = () => simulate('--seed', '3,4', '--minutes', '0.3');
  const [one, other] = [await twoSeeds(), await twoSeeds()];
  expect(one.lines).toEqual(other.lines);
  const [three, four] = one.lines.map((line) => /trace (\w+)/.exec(line)![1]);
  expect(three).not.toBe(four);
}, 120_000);

it('runs a seed of Beams the same alone and after another one', async () => {
  const [alone, after] = await Promise.all(
    ['910700203', '910700202,910700203'].map((seeds) => simulate('--beams', '--seed', seeds, '--minutes', '1')),
  );
  expect(after!.lines.at(-1)).toBe(alone!.lines.at(-1));
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
