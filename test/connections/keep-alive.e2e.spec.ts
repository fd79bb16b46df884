import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterEach, expect, it } from 'vitest';
import { readConfig } from '../../apps/server/src/config/config.js';
import { createServer } from '../../apps/server/src/server.js';
import { signed } from '../support/channels-api.js';
import { testApp } from '../support/channels-server.js';

let server: NestFastifyApplication | undefined;
afterEach(async () => {
  await server?.close();
});

const { id, key, secret } = testApp;

async function start(more: Readonly<Record<string, string>> = {}): Promise<string> {
  const app = { PUSHER_APP_ID: id, PUSHER_APP_KEY: key, PUSHER_APP_SECRET: secret };
  server = await createServer(readConfig({ DATABASE_URL: 'sqlite::memory:', ...app, ...more }));
  Logger.overrideLogger(false);
  await server.listen(0, '127.0.0.1');
  return server.getUrl();
}

async function ask(url: string, method: string, body = ''): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/json' };
  const sent = request(url, { method, headers, agent: new Agent({ keepAlive: true, timeout: 60_000 }) }).end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response;
}

const trigger = (): { readonly url: string; readonly body: string } => {
  const { url, body } = signed('POST', '/events', { name: 'e', channel: 'a', data: 'd' });
  return { url, body: String(body) };
};

it.each([
  [{}, 'timeout=72'],
  [{ KEEP_ALIVE_SECONDS: '620' }, 'timeout=620'],
])('keeps idle connections open, with %j for %s', async (more, kept) => {
  const at = await start(more);
  expect((await ask(`${at}/health/live`, 'GET')).headers['keep-alive']).toBe(kept);
  const { url, body } = trigger();
  expect((await ask(`${at}${url}`, 'POST', body)).headers['keep-alive']).toBe(kept);
});

it('closes them after that time', async () => {
  const { port } = new URL(await start({ KEEP_ALIVE_SECONDS: '1' }));
  const { url, body } = trigger();
  const ofTrigger = `POST ${url} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  for (const bytes of ['GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n', ofTrigger]) {
    const socket = connect(Number(port), '127.0.0.1');
    const answers = text(socket);
    socket.write(bytes);
    await once(socket, 'data');
    // It is still open.
    socket.write(bytes);
    expect((await answers).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  }
});

it.each(['0', '-1', 'long', '90000'])('refuses %s by name', (KEEP_ALIVE_SECONDS) => {
  expect(() => readConfig({ KEEP_ALIVE_SECONDS })).toThrow('KEEP_ALIVE_SECONDS must be a whole number from 1 to 86400');
});
