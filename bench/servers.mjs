import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pinTo, raiseOpenFiles, treeOf, usageOf, usageOfTree } from './machine.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const app = { id: 'bench', key: 'bench-key', secret: 'bench-secret' };

/** A server under measurement: where it listens, its credentials, the protocol of its clients, and its cost. */
export class Server {
  constructor(name, where, dialect, credentials, child) {
    this.name = name;
    this.where = where;
    this.dialect = dialect;
    this.app = credentials;
    this.child = child;
  }

  /** What a client needs to connect. */
  get target() {
    return { where: this.where, dialect: this.dialect, app: this.app };
  }

  sample() {
    return this.child && usageOfTree(this.child.pid);
  }

  /** CPU share and seconds between two samples; nothing for a server that was only named by its URL. */
  between(from, to) {
    if (!from || !to) return {};
    return { serverCpuSeconds: to.cpuSeconds - from.cpuSeconds, serverRss: to.rss };
  }

  /** Collects the garbage and answers what is resident then. */
  collectedRss() {
    return this.rssAfter('SIGWINCH');
  }

  /** Also gives back the room for new objects, as V8 does in a process that has been idle for a minute. */
  idleRss() {
    return this.rssAfter('SIGIO');
  }

  async rssAfter(signal) {
    this.child.kill(signal);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return usageOf(this.child.pid)?.rss;
  }

  /** The longest turn of an event loop in its processes since this was asked last; undefined where none tells. */
  async longestTurn() {
    if (!this.turns) return undefined;
    const turns = await Promise.all(treeOf(this.child.pid).map((pid) => this.turnOf(pid)));
    const known = turns.filter((turn) => turn !== undefined);
    return known.length > 0 ? Math.max(...known) : undefined;
  }

  async turnOf(pid) {
    const file = join(this.turns, String(pid));
    try {
      process.kill(pid, 'SIGPWR');
    } catch {
      return undefined;
    }
    for (const until = performance.now() + 10_000; !existsSync(file) && performance.now() < until;)
      await new Promise((resolve) => setTimeout(resolve, 5));
    if (!existsSync(file)) return undefined;
    const turn = Number(readFileSync(file, 'utf8'));
    rmSync(file);
    return turn;
  }

  /** Ends as a deploy ends it: clients are told, and what was accepted is finished. */
  async end() {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await ended;
  }

  async stop() {
    if (!this.child || this.child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    // The results are in, and closing 10,000 connections takes long.
    this.child.kill('SIGKILL');
    await ended;
  }
}

/** The server as its users start it. */
export async function rookery(options = {}, script = here('../dist/rookery/rookery.js')) {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-bench-'));
  const file = join(folder, 'config.json');
  const history = [{ channels: 'kept' }, { channels: 'kept-*', events: 10_000, seconds: 3600 }];
  const apps = [{ ...app, clientEvents: true, history }];
  // For clients that offer compression, which only those of the row `compression` do.
  writeFileSync(file, JSON.stringify({ apps, channels: { compressFromBytes: 1024 } }));
  const environment = { CONFIG_FILE: file, DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`, ...options };
  const server = await start('rookery', script, 'pusher', environment);
  server.child.once('exit', () => rmSync(folder, { recursive: true }));
  return server;
}

const reference = (name, file, dialect) => () => start(name, here(`./references/${file}.mjs`), dialect);

/** Each shows what a plain way of doing the same costs. */
export const references = {
  ws: reference('naive ws', 'ws-naive', 'pusher'),
  socketIo: reference('socket.io', 'socket-io', 'socketIo'),
  uws: (environment) => start('uWebSockets.js', here('./references/uws.mjs'), 'pusher', environment),
  http: reference('signed node:http', 'signed-http', 'pusher'),
  fastify: reference('signed Fastify', 'signed-fastify', 'pusher'),
  express: reference('signed Express', 'signed-express', 'pusher'),
  net: reference('bare TCP socket', 'bare-net', 'pusher'),
  host: (environment) => start('host', here('./references/host.mjs'), 'pusher', environment),
  authorizing: (environment) => start('application', here('./references/authorizing-host.mjs'), 'pusher', environment),
  authorizingOnExpress: () =>
    start('application on Express', here('./references/authorizing-host.mjs'), 'pusher', { PLATFORM: 'express' }),
};

/** A server that runs already: `http://host:port` and its app. */
export function named(url, credentials) {
  const { hostname, port } = new URL(url);
  return new Server(url, { host: hostname, port: Number(port || 80) }, 'pusher', credentials);
}

/** A program that sends frames to each client that has sent one, `rate` times a second after SIGUSR2. */
export async function floor(file, { bytes, rate }) {
  const port = await freePort();
  const args = ['--port', String(port), '--payload', String(bytes), '--rate', String(rate)];
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  pinTo(child.pid, 'server');
  const server = new Server('floor', { host: '127.0.0.1', port }, 'floor', app, child);
  await listening(server);
  return server;
}

async function start(name, script, dialect, environment = {}) {
  const port = Number(environment.PORT ?? (await freePort()));
  const startedAt = performance.now();
  // Required, not imported: an import would send the packed file through the loader of ES modules, 0.4 s that no user waits.
  const turns = mkdtempSync(join(tmpdir(), 'rookery-bench-turns-'));
  const child = spawn(process.execPath, ['--expose-gc', '--require', here('./on-signals.cjs'), script], {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      ...environment,
      HOST: '127.0.0.1',
      PORT: String(port),
      BENCH_TURNS: turns,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  pinTo(child.pid, 'server');
  raiseOpenFiles(child.pid);
  const server = new Server(name, { host: '127.0.0.1', port }, dialect, app, child);
  child.once('exit', () => rmSync(turns, { recursive: true, force: true }));
  await listening(server);
  if (name === 'rookery') await ready(server);
  server.turns = turns;
  server.startMs = performance.now() - startedAt;
  return server;
}

/** The port of Rookery accepts connections while the rest still starts; it answers 503 until all its workers listen. */
async function ready({ name, where }) {
  let response;
  for (const until = performance.now() + 20_000; performance.now() < until;) {
    response = await fetch(`http://${where.host}:${where.port}/health/ready`);
    if (response.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${name} answers ${response.status} instead of being ready`);
}

async function listening({ name, where, child }) {
  for (const until = performance.now() + 20_000; performance.now() < until;) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode} instead of listening`);
    if (await accepts(where)) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${name} did not listen within 20 seconds`);
}

function accepts(where) {
  return new Promise((resolve) => {
    const socket = net.connect(where, () => resolve(socket.destroy() && true)).on('error', () => resolve(false));
  });
}

export function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
