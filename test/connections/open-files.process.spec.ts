import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { command } from '../support/command-line.js';
import { buildServer, childrenOf } from '../support/server-process.js';
import { until } from '../support/until.js';

const folder = mkdtempSync(join(tmpdir(), 'rookery-files-'));
const ending: (() => unknown)[] = [];
beforeAll(buildServer, 180_000);
afterEach(() => {
  for (const end of ending.splice(0).toReversed()) end();
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ['one process', {}],
  ['workers', { WORKERS: '2' }],
])(
  'reports that the limit of open files is reached, and that it no longer is, with %s',
  async (_, more) => {
    const env = { PATH: process.env['PATH'], PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`, ...more };
    const script = 'ulimit -n 100; exec "$0" "$1"';
    const server = spawn('sh', ['-c', script, process.execPath, command], { cwd: resolve('.'), env });
    ending.push(() => {
      const left = childrenOf(server.pid!);
      server.kill('SIGKILL');
      for (const pid of left) process.kill(pid, 'SIGKILL');
    });
    let output = '';
    for (const stream of [server.stdout, server.stderr])
      stream.on('data', (data: Buffer) => (output += data.toString()));
    await until(() => output.includes('Listening on http'), 'the server listens', 60_000);
    const { port } = new URL(/Listening on (http:[^"\s]+)/.exec(output)![1]!);
    // Prometheus keeps its connection.
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    ending.push(() => agent.destroy());
    const reached = async (): Promise<number> => {
      const sent = request({ port, path: '/metrics', agent }).end();
      const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
      return Number(/^rookery_open_files_exhausted_total (\d+)$/m.exec(await text(response))?.[1]);
    };
    expect(await reached()).toBe(0);

    const sockets: Socket[] = [];
    ending.push(() => sockets.forEach((socket) => void socket.destroy()));
    while (sockets.length < 200) {
      const socket = connect(Number(port)).on('error', () => undefined);
      sockets.push(socket);
      socket.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n');
      await new Promise((resolve) => void socket.once('data', resolve).once('close', resolve));
    }
    await until(
      () => /limit of open files \(100, of which connections may use 60\) is reached/.test(output),
      'the limit is reported',
      30_000,
    );
    // The database still works: connections leave files for it.
    expect(await reached()).toBeGreaterThanOrEqual(1);
    for (const socket of sockets) socket.destroy();
    await until(() => output.includes('below its limit of open files again'), 'it is over');
    // A client that comes now is served.
    expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200);
  },
  120_000,
);
