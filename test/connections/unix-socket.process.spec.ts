import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { signed } from '../support/channels-api.js';
import { testApp } from '../support/channels-server.js';
import { command } from '../support/command-line.js';
import { buildServer, childrenOf } from '../support/server-process.js';
import { until } from '../support/until.js';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'rookery-unix-'));
const path = join(folder, 'rookery.sock');
const ending: (() => unknown)[] = [];
let output = '';

beforeAll(buildServer, 180_000);
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});
afterAll(() => rmSync(folder, { recursive: true }));

const { id, key, secret } = testApp;
const environment = {
  PATH: process.env['PATH'],
  DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`,
  PUSHER_APP_ID: id,
  PUSHER_APP_KEY: key,
  PUSHER_APP_SECRET: secret,
};

/** Starts a program, and settles when the server in it listens on the Unix socket. */
async function start(args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<ChildProcess> {
  output = '';
  const child = spawn(process.execPath, args, { cwd: root, env: { ...environment, ...more } });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  ending.push(() => {
    const left = childrenOf(child.pid!);
    child.kill('SIGKILL');
    for (const pid of left) process.kill(pid, 'SIGKILL');
  });
  await until(
    () => {
      if (child.exitCode !== null) throw new Error(`It ended:\n${output}`);
      return output.includes('Listening on unix:');
    },
    'the server listens',
    60_000,
  );
  return child;
}

async function answerTo(method: string, to: string, { body = '', headers = {} } = {}) {
  const sent = request({ socketPath: path, method, path: to, headers, agent: false }).end(body);
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  return { status: response.statusCode, text: await text(response) };
}

/** A subscriber hears a trigger; both come by the Unix socket. */
async function deliversAnEvent(): Promise<void> {
  const client = new WebSocket(`ws+unix:${path}:/app/${key}?protocol=7`);
  const frames: string[] = [];
  client.on('message', (data: Buffer) => {
    frames.push(data.toString());
    if (frames.length === 1) client.send('{"event":"pusher:subscribe","data":{"channel":"a"}}');
  });
  await until(() => frames.length === 2, 'the client is subscribed');
  const { url, body } = signed('POST', '/events', { name: 'e', channel: 'a', data: 'd' });
  const headers = { 'content-type': 'application/json' };
  expect(await answerTo('POST', url, { body: String(body), headers })).toMatchObject({ status: 200 });
  await until(() => frames.length === 3, 'the event arrives');
  client.close();
}

describe('a server whose HOST is a path', () => {
  it.each([
    ['one process', {}],
    ['workers', { WORKERS: '2' }],
  ])(
    'serves requests and sockets there, with %s, and removes the socket at its end',
    async (_, more) => {
      const server = await start([command], { HOST: path, ...more });
      expect(output).toContain(`Listening on unix:${path}`);
      await deliversAnEvent();
      expect(await answerTo('GET', '/health/ready')).toMatchObject({ status: 200 });
      server.kill('SIGTERM');
      const [code] = (await once(server, 'exit')) as [number];
      expect([code, existsSync(path)]).toEqual([0, false]);
    },
    120_000,
  );

  it('takes its clients for processes of this machine, and the place of a killed server, but of none alive', async () => {
    // Without an app it is in development, where the console is for this machine alone.
    const inDevelopment = { PUSHER_APP_ID: '', PUSHER_APP_KEY: '', PUSHER_APP_SECRET: '' };
    const killed = await start([command], { HOST: path, ...inDevelopment });
    expect(await answerTo('GET', '/console/api/session')).toMatchObject({ status: 200 });
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    expect(existsSync(path)).toBe(true);
    await start([command], { HOST: path });
    await deliversAnEvent();
    const second = spawn(process.execPath, [command], { cwd: root, env: { ...environment, HOST: path } });
    second.stdout.resume();
    expect(await text(second.stderr)).toMatch(/^rookery: HOST, PORT: listen EADDRINUSE/);
    await deliversAnEvent();
  }, 120_000);
});

it.each([
  ['one process', {}],
  ['workers', { WORKERS: '2' }],
])(
  'a supervisor may pass a Unix socket as descriptor 3, to %s',
  async (_, more) => {
    rmSync(path, { force: true });
    await start(['test/support/socket-activation.mjs', command, path], more);
    await deliversAnEvent();
    expect(await answerTo('GET', '/health/ready')).toMatchObject({ status: 200 });
  },
  120_000,
);
