// Measures the server of this repository, as its users start it, beside reference servers. See docs/performance.md.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from './load/client.mjs';
import { machine } from './machine.mjs';
import { readOptions, usage } from './options.mjs';
import { checkPlaces, staleFigures, writeDocs } from './report/docs.mjs';
import { medians } from './report/medians.mjs';
import { printRow } from './report/table.mjs';
import { rows } from './rows/index.mjs';
import { named, references, rookery } from './servers.mjs';

const options = readOptions(process.argv.slice(2));
const skipped = [];

const context = {
  ...options,
  /** The reference servers of a row, and the server that was named. */
  beside: (...names) => [...(options.alone ? [] : names), ...(options.url ? ['named'] : [])],
  skip: (why) => skipped.includes(why) || skipped.push(why),
  withServer,
  withServers,
};

async function* withServer(name, work) {
  const clients = [];
  const newClient = () => clients[clients.push(new Client()) - 1];
  const server = await start(name);
  try {
    await server.longestTurn();
    for await (const result of work(server, newClient(), newClient))
      yield { server: server.name, ...result, longestTurnMs: await server.longestTurn() };
  } finally {
    for (const client of clients) client.stop();
    await server.stop();
  }
}

/** Several servers of ours, with these environments, and one client. */
async function* withServers(environments, work) {
  const client = new Client();
  const servers = [];
  try {
    for (const environment of environments) servers.push(await rookery(environment));
    await longestTurnOf(servers);
    for await (const result of work(servers, client))
      yield { server: 'rookery', ...result, longestTurnMs: await longestTurnOf(servers) };
  } finally {
    client.stop();
    for (const server of servers) await server.stop();
  }
}

const longestTurnOf = async (servers) => {
  const turns = await Promise.all(servers.map((server) => server.longestTurn()));
  return Math.max(...turns.map((turn) => turn ?? 0));
};

function start(name) {
  if (name === 'named') return named(options.url, options);
  if (name === 'uws') return references.uws({ UWS: resolve(options.uws) });
  return name === 'rookery' ? rookery() : references[name]();
}

/** What changes the figures of a row; where they are written does not. */
function configured() {
  const { seconds, minutes, runs, clients, quick, docs, alone } = options;
  return { seconds, minutes, runs, clients, quick, docs, alone };
}

async function main() {
  if (options.docs) checkPlaces(options.names, machine());
  const results = [];
  for (const name of options.names) {
    const measured = [];
    const { isLong, docsRuns } = rows[name];
    const runs = isLong ? 1 : (options.docs && docsRuns) || options.runs;
    for (let run = 0; run < runs; run++)
      for await (const result of rows[name].run(context)) measured.push({ row: name, run, ...result });
    results.push(...measured);
    printRow(rows[name], medians(measured, rows[name]));
  }
  for (const why of skipped) process.stdout.write(`\nLeft out: ${why}\n`);
  const command = process.argv.slice(2).join(' ');
  const report = { machine: machine(), command, options: configured(), skipped, results };
  const file = options.json ?? fileURLToPath(new URL('./results/latest.json', import.meta.url));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(report, undefined, 1)}\n`);
  if (options.docs) {
    await writeDocs(report);
    printStale();
  }
}

/** @returns whether the docs have figures that are older than their code */
function printStale() {
  const stale = staleFigures();
  for (const { row, page, date, commit } of stale)
    process.stdout.write(`docs/${page}: ${row} was measured ${date} at ${commit}; its code has changed since\n`);
  return stale.length > 0;
}

if (options.help) process.stdout.write(usage);
else if (options.stale) process.exitCode = printStale() ? 1 : 0;
else await main();
