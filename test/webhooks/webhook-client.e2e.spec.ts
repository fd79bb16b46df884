import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebhookClient, type WebhookDelivery, webhookDelivery } from '#webhooks';

let server: Server;
let client: WebhookClient;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const received: { method: string; path: string; headers: IncomingMessage['headers']; body: string; port: number }[] =
  [];

beforeEach(async () => {
  received.length = 0;
  answer = (_request, response) => void response.end();
  server = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  client = new WebhookClient(false);
});
afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  server.close();
});

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url: path = '', headers, socket } = request;
  received.push({ method, path, headers, body: await text(request), port: socket.remotePort ?? 0 });
  answer(request, response);
}

function to(path: string, request: Partial<WebhookDelivery> = {}): WebhookDelivery {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const headers = { 'content-type': 'application/json', 'x-pusher-key': 'key' };
  return webhookDelivery({ owner: 'app', url, headers, body: '{"text":"ünïcödé"}', ...request }, Date.now());
}

it('posts exactly the body and the headers', async () => {
  expect(await client.post(to('/hook?a=b'), 1000)).toEqual({ outcome: 'accepted', status: 200 });
  expect(received).toMatchObject([
    {
      method: 'POST',
      path: '/hook?a=b',
      body: '{"text":"ünïcödé"}',
      headers: { 'content-type': 'application/json', 'x-pusher-key': 'key' },
    },
  ]);
});

it('reuses its connections', async () => {
  answer = (_request, response) => void response.end('a chatty answer '.repeat(100));
  for (let count = 0; count < 10; count += 1) await client.post(to('/hook'), 1000);
  expect(new Set(received.map(({ port }) => port)).size).toBeLessThanOrEqual(2);
});

it.each([200, 201, 204, 299])('treats %i as accepted', async (status) => {
  answer = (_request, response) => void response.writeHead(status).end();
  expect(await client.post(to('/hook'), 1000)).toEqual({ outcome: 'accepted', status });
});

it.each([301, 307, 400, 404, 410, 429, 500, 503])('treats %i as failed', async (status) => {
  answer = (_request, response) => void response.writeHead(status, { location: '/other' }).end();
  expect(await client.post(to('/hook'), 1000)).toEqual({ outcome: 'failed', reason: `it answered ${status}`, status });
  expect(received.map(({ path }) => path)).toEqual(['/hook']);
});

it('tells the beginning of an answer, but not to the callers of untrusted URLs', async () => {
  answer = (_request, response) => void response.writeHead(500).end(` ${'x'.repeat(600)}`);
  expect(await client.post(to('/hook'), 1000)).toMatchObject({ answer: 'x'.repeat(500) });
  const open = new WebhookClient(true);
  const untrusted = await open.post({ ...to('/hook'), untrusted: true }, 1000);
  await open.close();
  expect(untrusted).toEqual({ outcome: 'failed', reason: 'it answered 500', status: 500 });
});

it.each([
  ['a line break', { authorization: 'Bearer secret\n' }],
  ['a character above Latin-1', { 'x-name': 'Łsecret' }],
  ['the length of another body', { 'content-length': '1' }],
])('refuses to try again with a header that cannot be sent: %s', async (_, headers) => {
  const tried = await client.post(to('/hook', { headers }), 1000);
  expect(tried).toMatchObject({ outcome: 'refused', reason: expect.stringMatching(/was not asked: /) as string });
  expect(JSON.stringify(tried)).not.toContain('secret');
  expect(received).toEqual([]);
});

it('fails when the endpoint takes too long', async () => {
  answer = () => {};
  expect(await client.post(to('/hook'), 50)).toMatchObject({ outcome: 'failed' });
});

it('fails when the endpoint drops the connection', async () => {
  answer = (request) => void request.socket.destroy();
  expect(await client.post(to('/hook'), 1000)).toMatchObject({ outcome: 'failed' });
});

it('does not read an endless answer', async () => {
  answer = (_request, response) => {
    const more = (): boolean => response.write('x'.repeat(65_536));
    response.on('drain', more);
    more();
  };
  expect(await client.post(to('/hook'), 5000)).toMatchObject({ outcome: 'accepted', status: 200 });
});

it('does not send an untrusted URL to a private address', async () => {
  expect(await client.post(to('/hook', { untrusted: true }), 1000)).toMatchObject({ outcome: 'refused' });
  expect(received).toEqual([]);
});

it('sends to a private address if allowed', async () => {
  const allowing = new WebhookClient(true);
  expect(await allowing.post(to('/hook', { untrusted: true }), 1000)).toEqual({ outcome: 'accepted', status: 200 });
  await allowing.close();
});

it('fails requests in progress when it is closed', async () => {
  const asked = new Promise<void>((resolve) => void (answer = () => resolve()));
  const outcome = client.post(to('/hook'), 10_000);
  await asked;
  await client.close();
  expect(await outcome).toMatchObject({ outcome: 'failed' });
});
