import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EndpointHealth, Webhooks } from '../../libs/console/src/contract/index.js';
import { ConsoleClient } from '../support/console-client.js';
import { buildServer, ServerProcess } from '../support/server-process.js';
import { testApp } from '../support/test-app.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

const password = 'correct horse battery staple';
const folder = mkdtempSync(join(tmpdir(), 'rookery-health-'));
const instance = { id: '5d1f6c1e-6a31-4c0b-8a2e-0f9a4c6d7e11', secretKey: 'a-secret-key' };
const owners = [`apps/${testApp.id}`, `instances/${instance.id}`];
let receiver: WebhookReceiver;
let server: ServerProcess;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  await buildServer();
}, 180_000);
afterAll(async () => {
  await server?.kill();
  await receiver.close();
  rmSync(folder, { recursive: true });
});

async function start(): Promise<ConsoleClient> {
  const webhook = { url: receiver.url('/hook'), secret: 'shh' };
  const CONFIG = JSON.stringify({
    apps: [{ ...testApp, webhooks: [{ url: webhook.url }] }],
    instances: [{ ...instance, webhooks: [{ ...webhook, events: ['v1.UserNotificationOpen'] }] }],
  });
  server = await ServerProcess.start({
    CONFIG,
    DATABASE_URL: `sqlite:${join(folder, 'rookery.db')}`,
    CONSOLE_PASSWORD: password,
    ALLOW_PRIVATE_NETWORK: 'true',
  });
  return new ConsoleClient(server.port, password);
}

const healthOf = async (viewer: ConsoleClient, owner: string): Promise<EndpointHealth | undefined> =>
  ((await viewer.get(`${owner}/webhooks`)) as Webhooks).health[0];

/** Has the server call the owner's endpoint. */
async function call(viewer: ConsoleClient, owner: string): Promise<void> {
  await viewer.ask('POST', `${owner}/webhooks/0/test`, { url: receiver.url('/hook') });
}

it('knows after a restart how the endpoints of apps and push instances answered, and since when they fail', async () => {
  receiver.reply('/hook', (response) => void response.writeHead(500).end('no room left'));
  let viewer = await start();
  for (const owner of owners) await call(viewer, owner);
  const before = await Promise.all(owners.map((owner) => healthOf(viewer, owner)));
  for (const health of before)
    expect(health).toMatchObject({ status: 500, failingSince: expect.any(Number) as number });
  await server.stop();

  viewer = await start();
  for (const [n, owner] of owners.entries()) {
    // It is read while the server begins to serve.
    await expect
      .poll(() => healthOf(viewer, owner))
      .toMatchObject({
        at: before[n]!.at,
        status: 500,
        error: before[n]!.error,
        failingSince: before[n]!.failingSince,
        failures: 0,
      });
    await call(viewer, owner);
    const after = await healthOf(viewer, owner);
    expect(after).toMatchObject({ failingSince: before[n]!.failingSince, failures: 1 });
    expect(after!.at).toBeGreaterThan(before[n]!.at);
  }

  receiver.reply('/hook', (response) => void response.end());
  await call(viewer, owners[0]!);
  await server.stop();
  viewer = await start();
  await expect.poll(() => healthOf(viewer, owners[0]!)).toMatchObject({ status: 200, error: null, failingSince: null });
});
