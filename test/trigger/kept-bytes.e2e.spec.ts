import { afterAll, beforeAll, expect, it } from 'vitest';
import { overSocket, signed } from '../support/channels-api.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';

const other = { id: '4', key: 'other-key', secret: 'other-secret' };
const data = 'x'.repeat(10_000);

let server: ChannelsServer;
beforeAll(async () => {
  const limits = { keptBytes: 5_000_000, processKeptBytes: 10_000_000 };
  server = await startChannels({ apps: [testApp, other], limits, bypassRouter: true });
});
afterAll(() => server.close());

const trigger = (app: typeof other, ...channels: readonly string[]) =>
  overSocket(server, signed('POST', '/events', { name: 'e', data, channels }, { app }));
const caches = (round: number) => Array.from({ length: 100 }, (_, n) => `cache-${round}-${n}`);

it('an app that keeps too much is refused new last events, and neither other events nor other apps', async () => {
  const answers = [];
  for (let round = 0; round < 10; round++) answers.push(await trigger(testApp, ...caches(round)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429, 429, 429, 429, 429, 429]);
  expect(answers[4]!.text).toMatch(/^Too much is kept for the app: .*\n$/);
  expect((await trigger(testApp, 'plain')).status).toBe(200);
  expect((await trigger(testApp, 'cache-0-0')).status).toBe(200);
  expect((await trigger(other, ...caches(0))).status).toBe(200);
  const client = await SocketClient.connect(server.port);
  await client.subscribe('cache-3-99');
  expect((await client.next('e')).data).toBe(data);
  client.send({ event: 'pusher:subscribe', data: { channel: 'cache-4-0' } });
  await client.next('pusher:cache_miss');
  client.close();
});
