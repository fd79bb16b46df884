import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, it } from 'vitest';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { describeWhere } from '../support/services.js';
import { until } from '../support/until.js';

/** More than Node's default, 511. */
const clients = 1200;
const systemMost = platform() === 'linux' ? Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')) : 128;

let folder: string;
let server: ServerProcess;
let workers: readonly number[];
const sockets: Socket[] = [];

beforeAll(() => buildServer(), 180_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rookery-backlog-'));
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.kill();
  for (const pid of workers) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true });
});

const describeRoomy = describeWhere(systemMost >= clients, `net.core.somaxconn is ${systemMost}, below ${clients}`);

describeRoomy('A server too busy to accept connections', () => {
  it.each([
    ['one process', {}],
    ['workers', { WORKERS: '2' }],
  ])('lets them wait instead of dropping them: %s', { timeout: 60_000 }, async (_, environment) => {
    server = await ServerProcess.start({ DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`, ...environment });
    workers = server.children;
    server.signal('SIGSTOP');
    let connected = 0;
    for (let n = 0; n < clients; n++)
      sockets.push(connect(server.port, '127.0.0.1', () => connected++).on('error', () => {}));
    await until(() => connected === clients, 'all are connected');
  });
});
