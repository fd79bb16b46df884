import { afterAll, beforeAll, expect, it } from 'vitest';
import { SocketClient } from '../support/socket-client.js';
import { useServer } from '../support/server.js';
import { testApp } from '../support/test-app.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const backend = await WebhookReceiver.start();
const requests = [{ name: 'game.*', channels: 'private-game.*', url: backend.url('/games') }];
const CONFIG = JSON.stringify({ apps: [{ ...testApp, requests }] });
const server = useServer({ CONFIG, ALLOW_PRIVATE_NETWORK: 'true' });
const guarded = useServer({ CONFIG });

beforeAll(() => backend.reply('/games', (response) => response.end('{"moves":1}')));
afterAll(() => backend.close());

/** What a page of the server gets for a move. */
async function move(of: typeof server): Promise<unknown> {
  const { port } = of().getHttpServer().address() as { port: number };
  const client = await SocketClient.connect(port);
  await client.subscribe('private-game.7');
  client.send({ event: 'rookery:request', channel: 'private-game.7', data: { id: 'q1', name: 'game.move', data: 4 } });
  const { data } = await client.next('rookery:reply');
  client.close();
  return JSON.parse(data as string) as unknown;
}

it('has the endpoints of its configuration answer, without code of a host', async () => {
  expect(await move(server)).toEqual({ id: 'q1', data: { moves: 1 } });
  expect(JSON.parse(backend.at('/games')[0]!.rawBody)).toMatchObject({ name: 'game.move', data: 4 });
});

it('asks no private address without ALLOW_PRIVATE_NETWORK', async () => {
  const before = backend.received.length;
  expect(await move(guarded)).toMatchObject({ error: { status: 502 } });
  expect(backend.received).toHaveLength(before);
});
