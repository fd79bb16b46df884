import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { testApp } from '../support/channels-server.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { SocketClient } from '../support/socket-client.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let folder: string;
let receiver: WebhookReceiver;
let server: ServerProcess | undefined;

beforeAll(buildServer, 180_000);
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rookery-webhooks-'));
  receiver = await WebhookReceiver.start();
  const apps = [{ ...testApp, webhooks: [{ url: receiver.url('/hook'), events: ['channel_occupied'] }] }];
  writeFileSync(join(folder, 'rookery.json'), JSON.stringify({ apps }));
});
afterEach(async () => {
  await server?.stop();
  await receiver.close();
  rmSync(folder, { recursive: true });
});

const start = (): Promise<ServerProcess> =>
  ServerProcess.start({
    CONFIG_FILE: join(folder, 'rookery.json'),
    DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`,
  });

it('a webhook of Channels that nobody took outlives the server that is killed', async () => {
  receiver.reply('/hook', (response) => void response.writeHead(503).end());
  server = await start();
  const client = await SocketClient.connect(server.port, testApp);
  await client.subscribe('news');
  const [first] = await receiver.untilEvents('/hook', 1);
  await server.kill();

  receiver.reply('/hook', (response) => void response.writeHead(200).end());
  server = await start();
  // It was claimed when the server was killed, or it waits for its second try: either is over within a minute.
  const before = receiver.at('/hook').length;
  await expect.poll(() => receiver.at('/hook').length, { timeout: 90_000 }).toBeGreaterThan(before);
  expect(receiver.events('/hook').at(-1)).toEqual(first);
}, 120_000);
