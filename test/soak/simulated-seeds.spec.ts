import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { buildSimulation, kinds, simulate } from '../simulation/command.js';

beforeAll(buildSimulation);

it.each(kinds)(
  'finds nothing with three seeds of %s',
  async (_, args) => {
    const { code, lines } = await simulate(...args, '--seed', '2', '--seeds', '3');
    expect(lines).toHaveLength(3);
    expect(code, lines.join('\n')).toBe(0);
  },
  240_000,
);

it.each([
  ['Beams', ['--beams', '--minutes', '1'], '910700203', '910700202'],
  ['Channels on PostgreSQL', ['--postgres', '--minutes', '0.5'], '1025', '1024'],
])(
  'runs a seed of %s the same alone and after another one',
  async (_, args, seed, before) => {
    const [alone, after] = await Promise.all(
      [seed, `${before},${seed}`].map((seeds) => simulate(...args, '--seed', seeds)),
    );
    expect(alone!.lines.at(-1)).toMatch(/trace \w+$/);
    expect(after!.lines.at(-1)).toBe(alone!.lines.at(-1));
  },
  240_000,
);

/** The seeds that found a fault, of Rookery or of the model, which is mended: by the other arguments of their runs. */
const failed = new Map<string, string[]>();
for (const line of readFileSync(new URL('../simulation/failed-seeds.txt', import.meta.url), 'utf8').split('\n')) {
  if (line === '' || line.startsWith('#')) continue;
  const [, seed, others] = /^--seed (\d+) ([^:]+):(?!.*--seed)/.exec(line) ?? [];
  if (!seed || !others) throw new Error(`failed-seeds.txt: write --seed N, other arguments, and a colon, not ${line}`);
  failed.set(others, [...(failed.get(others) ?? []), seed]);
}

/** Kinds of operations that came after the seeds below. */
const withoutNew = 'say,failover,outage,refuse,rude,hostile,update,kick';

it.each(Array.from(failed, ([others, seeds]) => [seeds.join(), others] as const))(
  'finds nothing with --seed %s %s, which once failed',
  async (seeds, others) => {
    const { code, lines } = await simulate('--seed', seeds, ...others.split(' '), '--shrink', '0');
    expect(code, lines.join('\n')).toBe(0);
    expect(lines).toHaveLength(seeds.split(',').length);
  },
  240_000,
);

/** With the seed that finds each, and the rule that it breaks. */
const onceStood = [
  ['a connection takes the session before its client has spoken', '22', /^client \d+ .*: e\d+ is missing before e\d+/],
  [
    'changes of members do not say what they follow',
    '20055',
    /^client \d+ .*: it was told that \w+ came, who was there/,
  ],
  [
    'webhooks say that something is gone after another node may say that it is back',
    '20296',
    /^webhooks said twice in a row: member_added/,
  ],
] as const;
const asThen = ['--minutes', '2', '--without', withoutNew, '--shrink', '0'];

it.each(onceStood)(
  'finds a fault that once stood in Rookery: %s',
  async (fault, seed, rule) => {
    const { lines } = await simulate('--fault', fault, '--seed', seed, ...asThen);
    const [, broken = lines.join('\n')] =
      lines.map((line) => line.split(`seed ${seed} fails: `)).find((parts) => parts.length > 1) ?? [];
    expect(broken).toMatch(rule);
  },
  120_000,
);

it('finds nothing by their seeds without these faults', async () => {
  const { code, lines } = await simulate('--seed', onceStood.map(([, seed]) => seed).join(), ...asThen);
  expect(code, lines.join('\n')).toBe(0);
}, 120_000);

it('finds members whose infos are lost with the memory of the store', async () => {
  const fault = ['--fault', 'a store that has lost its memory gets the old infos of members'];
  // Members are updated, and stay.
  const kinds =
    'disconnect,unsubscribe,break,kill,drain,pause,stall,trigger,say,rude,hostile,clock,freeze,stallClient,refuse,kick';
  const { lines } = await simulate(...fault, '--seed', '47', '--minutes', '2', '--without', kinds, '--shrink', '0');
  expect(lines.join('\n')).toMatch(
    /seed 47 fails: \w+ is put back on presence-[\w-]+ with (null|"u\d+") instead of "u\d+"/,
  );
}, 120_000);

it('finds each fault that is planted in Channels', async () => {
  const { lines } = await simulate('--fault', 'all', '--seed', '47', '--seeds', '24', '--minutes', '0.5');
  expect(lines.filter((line) => !line.startsWith('found: '))).toEqual([]);
  expect(lines.length).toBeGreaterThanOrEqual(25);
  // Half a minute of a quiet core, and sixteen times as long on one with much else to do.
}, 900_000);

/** In nodes on PostgreSQL, with the seed that finds each, and the rule that it breaks. */
const onPostgres = [
  ['the dead stay where they were', '549', /sees the count \d+ of kept-a instead of \d+/],
  ['each node takes itself to be alone', '321', /e14 is missing before e17 on presence-room/],
  ['a node passes over what it has not read when it delivers its own', '321', /e2 arrived twice on private-kept-c/],
  [
    'a node does not notice that the messages are lost',
    '913',
    /sees the members ann,ben,cat on presence-room instead of ann/,
  ],
  ['a node that is cut off does not go back to what it has read', '908', /e51 is missing before e120 on presence-kept/],
  ['an event is published again if its answer is lost', '549', /e10 arrived after e14 on presence-room/],
  [
    'nodes do not announce what they hold once PostgreSQL is back',
    '552',
    /sees the members ben on presence-room instead of ann,ben,cat/,
  ],
  [
    'nodes use what is shared before all have announced what they hold',
    '913',
    /sees the members [\w,]+ on presence-kept instead of [\w,]+/,
  ],
  [
    'members do not learn what they missed while PostgreSQL was away',
    '80004',
    /sees ann on presence-kept with "u12" instead of null/,
  ],
] as const;
const asOnPostgres = ['--postgres', '--minutes', '0.5', '--shrink', '0'];

it.each(onPostgres)(
  'finds a fault that is planted in Channels on PostgreSQL: %s',
  async (fault, seed, rule) => {
    const { lines } = await simulate('--fault', fault, '--seed', seed, ...asOnPostgres);
    expect(lines.find((line) => line.startsWith(`seed ${seed} fails: `)) ?? lines.join('\n')).toMatch(rule);
  },
  240_000,
);

it('finds nothing on PostgreSQL by their seeds without these faults', async () => {
  const seeds = new Set(onPostgres.map(([, seed]) => seed));
  const { code, lines } = await simulate('--seed', [...seeds].join(), ...asOnPostgres);
  expect(code, lines.join('\n')).toBe(0);
}, 240_000);

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

it.each([
  ['Channels', ['--seeds', '6'], '1', 3],
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
