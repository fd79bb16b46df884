// What the console's rings of recent events cost of a trigger, of a delivery and of a connection: CPU time of the calls
// themselves, in a server that has just done this work. Between two processes, with and without rings, differs more.
//   node bench/rings.mjs
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client } from './load/client.mjs';
import { cpuMicroseconds } from './machine.mjs';
import { rookery } from './servers.mjs';

/** The most events that Trace keeps in a second. */
const keptPerSecond = 2000;
const folder = mkdtempSync(join(tmpdir(), 'rookery-rings-'));
const file = join(folder, 'costs.json');
const client = new Client();
const server = await rookery({
  CONSOLE_PASSWORD: 'a-password-of-the-bench',
  // Quoted: a folder's name may have spaces.
  NODE_OPTIONS: `--require ${JSON.stringify(fileURLToPath(new URL('./support/rings-cost.cjs', import.meta.url)))}`,
  BENCH_RINGS: file,
});

/** The server's CPU microseconds for one of so many. */
async function costOf(count, work) {
  const from = cpuMicroseconds(server.child.pid);
  await work(count);
  return (cpuMicroseconds(server.child.pid) - from) / count;
}

const burst = (count) => client.ask('burst', { channels: { names: ['bench'] }, bytes: 100, inFlight: 32, count });

async function comeAndGo(count) {
  await client.ask('connect', { ...server.target, count, channel: 'other' });
  await client.ask('close');
  await sleep(1000);
}

/** Once its code is compiled. */
async function warm(count, work) {
  await costOf(count, work);
  return costOf(count, work);
}

try {
  await client.ask('connect', { ...server.target, count: 0 });
  const trigger = await warm(20_000, burst);
  const connection = await warm(2000, comeAndGo);
  await client.ask('connect', { ...server.target, count: 1, channel: 'bench' });
  const delivery = await warm(20_000, burst);
  const ended = once(server.child, 'exit');
  server.child.kill('SIGIO');
  await ended;
  const rings = JSON.parse(readFileSync(file, 'utf8'));
  const line = (what, cost, share) =>
    process.stdout.write(`${what}: ${cost.toFixed(1)} µs of CPU time, ${(share * 100).toFixed(2)}% of it for rings\n`);
  for (const [what, cost] of Object.entries({ trigger, 'trigger to 1 subscriber': delivery })) {
    line(`${what}, all of them kept`, cost, rings.kept / cost);
    const perSecond = 1e6 / cost;
    const each = (rings.kept * keptPerSecond + rings.leftOut * (perSecond - keptPerSecond)) / perSecond;
    line(`${what}, at ${Math.round(perSecond)} a second, of which ${keptPerSecond} are kept`, cost, each / cost);
  }
  line('connection that subscribes and goes', connection, rings.connection / connection);
} finally {
  client.stop();
  await server.stop();
  rmSync(folder, { recursive: true });
}
