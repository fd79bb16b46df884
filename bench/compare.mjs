// Compares what a trigger, or a client that joins, costs in two builds of the server: the CPU time of short bursts, sent
// to each in turn.
//   node bench/compare.mjs ../before/dist/rookery/rookery.js dist/rookery/rookery.js
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from './load/client.mjs';
import { cpuMicroseconds } from './machine.mjs';
import { rookery } from './servers.mjs';

const usage = `node bench/compare.mjs [options] BEFORE AFTER (two files rookery.js, of one build each)
  --rounds N   rounds, each with two new processes (10)
  --pairs N    bursts for each of the two in a round (50)
  --count N    triggers of a burst (1000)
  --channel C  "kept" has a history (plain)
  --subscribers N  connections that are subscribed to the channel (0)
  --in-flight N    triggers that wait for their answers at a time (32)
  --joins          a burst connects that many clients, who join a new channel (instead of triggers)
`;

const text = { type: 'string' };
const {
  values: { joins: isOfJoins = false, ...values },
  positionals,
} = parseArgs({
  options: {
    rounds: text,
    pairs: text,
    count: text,
    channel: text,
    subscribers: text,
    'in-flight': text,
    joins: { type: 'boolean' },
  },
  allowPositionals: true,
});
if (positionals.length !== 2) throw new Error(usage);
const scripts = positionals.map((path) => resolve(path));
const {
  rounds = 10,
  pairs = 50,
  count = 1000,
  subscribers = 0,
  'in-flight': inFlight = 32,
} = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
const channel = String(values.channel ?? 'plain');
const load = { channels: { names: [channel] }, bytes: 100, inFlight };

/** What the two processes of one round need for a trigger, in microseconds, burst by burst. */
async function round(isReversed) {
  const sides = scripts.map((script) => ({ script, client: new Client(), costs: [] }));
  try {
    // The process that was started first may have an advantage.
    for (const side of isReversed ? sides.toReversed() : sides) {
      const { script, client } = side;
      side.server = await rookery({}, script);
      await client.ask('connect', { ...side.server.target, count: subscribers, channel });
      await warmUp(side);
    }
    const [before, after] = sides;
    // What grows with the number of bursts meets both alike.
    for (let pair = 0; pair < pairs; pair++)
      for (const side of (pair % 2 === 0) === isReversed ? [after, before] : [before, after])
        side.costs.push(await burst(side));
    return [before.costs, after.costs];
  } finally {
    for (const { client, server } of sides) {
      client.stop();
      await server?.stop();
    }
  }
}

/** Until the code is compiled; a trigger to many takes as long as many triggers. */
async function warmUp({ client, server }) {
  if (isOfJoins) for (let clients = 0; clients < 20_000; clients += count) await join(server);
  else await client.ask('burst', { ...load, count: subscribers < 100 ? 20_000 : 2_000 });
}

async function burst({ client, server }) {
  const from = cpuMicroseconds(server.child.pid);
  await (isOfJoins ? join(server) : client.ask('burst', { ...load, count }));
  return (cpuMicroseconds(server.child.pid) - from) / count;
}

/** A channel for each burst: members who come back a moment after they left are not announced, and cost less. */
let joined = 0;

async function join(server) {
  const client = new Client();
  try {
    await client.ask('connect', { ...server.target, count, channel: `${channel}-${joined++}` });
  } finally {
    client.stop();
  }
}

const mean = (numbers) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];

/** Half of the 95% interval of a mean, from few samples: Student's t by Cornish-Fisher. */
function halfInterval(numbers) {
  const n = numbers.length;
  const average = mean(numbers);
  const deviation = Math.sqrt(numbers.reduce((sum, each) => sum + (each - average) ** 2, 0) / (n - 1));
  const z = 1.96;
  const t = z + (z ** 3 + z) / (4 * (n - 1)) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * (n - 1) ** 2);
  return (t * deviation) / Math.sqrt(n);
}

const ratios = [];
const all = [[], []];
for (let n = 0; n < rounds; n++) {
  const costs = await round(n % 2 === 1);
  // Bursts next to each other met the same other work on the machine.
  ratios.push(median(costs[1].map((cost, pair) => Math.log(cost / costs[0][pair]))));
  costs.forEach((each, side) => all[side].push(...each));
  const so = ratios.length > 2 ? `, so far ${percent(mean(ratios))} ± ${(halfInterval(ratios) * 100).toFixed(2)}%` : '';
  process.stdout.write(`round ${n + 1}: ${percent(ratios.at(-1))}${so}\n`);
}
process.stdout.write(
  `${all.map((costs) => median(costs).toFixed(1)).join(' -> ')} µs of CPU time for a ${isOfJoins ? 'client' : 'trigger'}; after against before: ` +
    `${percent(mean(ratios))} ± ${(halfInterval(ratios) * 100).toFixed(2)}% (95% interval of ${rounds} rounds)\n`,
);

function percent(logarithm) {
  const value = Math.expm1(logarithm) * 100;
  return `${value < 0 ? '' : '+'}${value.toFixed(2)}%`;
}
