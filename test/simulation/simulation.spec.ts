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

it('runs the same from the same seed', async () => {
  const [one, other] = [
    await simulate('--seed', '3', '--minutes', '0.3'),
    await simulate('--seed', '3', '--minutes', '0.3'),
  ];
  expect(one.lines).toEqual(other.lines);
  const [different] = (await simulate('--seed', '4', '--minutes', '0.3')).lines;
  expect(traceOf(different!)).not.toBe(traceOf(one.lines[0]!));
}, 120_000);

it('finds each planted fault', async () => {
  const { lines } = await simulate('--fault', 'all', '--seed', '47', '--seeds', '24', '--minutes', '0.5');
  expect(lines.filter((line) => !line.startsWith('found: '))).toEqual([]);
  expect(lines.length).toBeGreaterThanOrEqual(25);
}, 240_000);

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

const traceOf = (line: string): string | undefined => /trace (\w+)/.exec(line)?.[1];
