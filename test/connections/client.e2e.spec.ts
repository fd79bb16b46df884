import type { INestApplication } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { batchedAuthorization, type BatchedAuthorizationOptions } from '@rookery/client';
import { AppModule } from '../support/authorizing-host.js';
import { bundled } from '../support/bundle.js';
import { testApp } from '../support/channels-server.js';
import { createHost, listen } from '../support/embedding-host.js';
import { PusherJs } from '../support/pusher-js.js';
import { until } from '../support/until.js';

let app: INestApplication;
let port: number;
const clients: PusherJs[] = [];
const calls = vi.spyOn(globalThis, 'fetch');

beforeAll(async () => {
  ({ app } = await createHost({ imports: [AppModule] }));
  ({ port } = await listen(app));
});
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
  calls.mockReset();
});
afterAll(() => app.close());

/** Stock pusher-js with the batching of `@rookery/client`. */
function connect(options: BatchedAuthorizationOptions = {}): PusherJs {
  const client = new PusherJs(testApp.key, {
    cluster: '',
    wsHost: '127.0.0.1',
    wsPort: port,
    forceTLS: false,
    enabledTransports: ['ws'],
    channelAuthorization: batchedAuthorization({
      endpoint: `http://127.0.0.1:${port}/pusher/auth`,
      headers: async () => ({ authorization: 'Bearer alice' }),
      ...options,
    }),
  });
  clients.push(client);
  return client;
}

const orders = (count: number): string[] => Array.from({ length: count }, (_, i) => `private-orders.${i + 1}`);

async function subscribed(client: PusherJs, names: readonly string[]): Promise<void> {
  const channels = names.map((name) => client.subscribe(name));
  await until(() => channels.every((channel) => channel.subscribed), 'all are subscribed');
}

it('asks for all channels of a tick in one call, also after a reconnect', async () => {
  const client = connect();
  await subscribed(client, [...orders(9), 'presence-room.kitchen', 'private-encrypted-notes.alice']);
  expect(calls).toHaveBeenCalledTimes(1);
  expect((client.channel('presence-room.kitchen') as any).members.me).toEqual({ id: 'alice', info: { name: 'Alice' } });
  client.disconnect();
  client.connect();
  await until(() => client.allChannels().every(({ subscribed: is }) => is), 'all are subscribed again');
  expect(calls).toHaveBeenCalledTimes(2);
});

it('makes several calls for more channels than one call allows', async () => {
  await subscribed(connect({ channelsPerCall: 4 }), orders(10));
  expect(calls).toHaveBeenCalledTimes(3);
});

it('reports to each channel its own error', async () => {
  const client = connect();
  const errors: unknown[] = [];
  for (const name of ['private-orders.1001', 'private-nothing'])
    client.subscribe(name).bind('pusher:subscription_error', (error: unknown) => errors.push(error));
  await subscribed(client, ['private-orders.7']);
  expect(errors).toEqual([
    { type: 'AuthError', error: 'private-orders.1001: Not authorized for private-orders.1001' },
    { type: 'AuthError', error: "private-nothing: No authorizer permits subscriptions to 'private-nothing'" },
  ]);
  expect(calls).toHaveBeenCalledTimes(1);
});

it('retries when the server is overloaded', async () => {
  calls.mockResolvedValueOnce(new Response('busy', { status: 503, headers: { 'retry-after': '0.01' } }));
  await subscribed(connect(), orders(2));
  expect(calls).toHaveBeenCalledTimes(2);
});

describe('if an endpoint keeps failing', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  /** How a channel fails, and after how many calls. */
  async function failing(answer: () => Promise<Response>, options: BatchedAuthorizationOptions = {}) {
    calls.mockImplementation(answer);
    const { customHandler } = batchedAuthorization({ endpoint: 'https://example.com/auth', ...options });
    const failures: (Error | null)[] = [];
    customHandler({ socketId: '1.1', channelName: 'private-a' }, (error) => failures.push(error));
    while (failures.length === 0) await vi.advanceTimersToNextTimerAsync();
    return { text: failures[0]?.message, calls: calls.mock.calls.length };
  }

  it('gives up after its number of tries', async () => {
    const busy = async () => new Response('busy', { status: 503, headers: { 'retry-after': '3' } });
    const start = Date.now();
    expect(await failing(busy)).toEqual({
      text: 'private-a: Error: https://example.com/auth answered 503 busy',
      calls: 10,
    });
    expect(Date.now() - start).toBeGreaterThan(9 * 3000);
  });

  it('retries if it cannot be reached', async () => {
    const broken = async () => Promise.reject(new TypeError('fetch failed'));
    expect(await failing(broken, { tries: 3 })).toEqual({ text: 'private-a: TypeError: fetch failed', calls: 3 });
  });

  it('gives up at once for another status, and for invalid JSON', async () => {
    expect(await failing(async () => new Response('gone', { status: 404 }))).toEqual({
      text: 'private-a: Error: https://example.com/auth answered 404 gone',
      calls: 1,
    });
    expect((await failing(async () => new Response('<html>'))).text).toMatch(/^private-a: SyntaxError/);
  });
});

const small = 'batchedAuthorization, newSessionId, socketAuthorization, withoutDoubles, streamed, typed';

it.each([
  ['3 kB', small, 3000],
  ['1 kB for states and receipts', 'state, seen', 1000],
  ['15 kB more for shared tabs', `${small}, sharedPusher, serveTabs`, 18_000],
])('is one small ES module without dependencies, minified: under %s', async (_, names, most) => {
  const { code, bytes } = await bundled('client', 'es', `{ ${names} }`);
  for (const name of names.split(', ')) expect(code).toMatch(new RegExp(` as ${name}\\b`));
  expect(bytes).toBeLessThan(most);
});
