// How long the five devices of one instance take while 1,200 push services of another accept and never answer, beside
// how long they take alone:
//   npm run build && node --import ./bench/support/typescript.mjs bench/silent-push-services.ts
// The server runs from dist/ as users start it, on a SQLite file. SERVICES (1200) is their number.
import { createECDH, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { migrate, openDatabase, TypeOrmDeviceRepository } from 'rookery/internal/typeorm';
import { ServerProcess } from '../test/support/server-process.js';
import { WebhookReceiver } from '../test/support/webhook-receiver.js';

const services = Number(process.env.SERVICES ?? 1200);
const rounds = 5;
const keys = createECDH('prime256v1');
const p256dh = keys.generateKeys('base64url');
const web = {
  vapidPublicKey: p256dh,
  vapidPrivateKey: keys.getPrivateKey('base64url'),
  subject: 'mailto:bench@rookery.example',
};
const secretKey = 'secret';
const [hostile, other] = ['8f9a6e22-2483-49aa-8552-125f1a4c5781', '11111111-2222-4333-8444-555555555555'] as const;

const sockets = new Set<Socket>();
/** Accepts on every address of this machine, and never answers. */
const silent = createServer((socket) => void sockets.add(socket.on('error', () => undefined).resume()));
await new Promise<void>((listening) => silent.listen(0, '0.0.0.0', listening));
const lively = await WebhookReceiver.start();
const folder = mkdtempSync(join(tmpdir(), 'rookery-silent-'));
const databaseUrl = `sqlite:${join(folder, 'rookery.db')}`;
await register();
writeFileSync(
  join(folder, 'config.json'),
  JSON.stringify({ instances: [hostile, other].map((id) => ({ id, secretKey, web })) }),
);
const server = await ServerProcess.start({
  CONFIG_FILE: join(folder, 'config.json'),
  DATABASE_URL: databaseUrl,
  ALLOW_PRIVATE_NETWORK: 'true',
});
try {
  await finished(await publish(other));
  await tell('alone');
  await publish(hostile);
  while (sockets.size < Math.min(services, 200)) await pause(10);
  await tell(`while ${services} push services of another instance never answer`);
} finally {
  for (const socket of sockets) socket.destroy();
  await server.kill();
  silent.close();
  await lively.close();
  rmSync(folder, { recursive: true });
}

async function register(): Promise<void> {
  const database = await openDatabase(databaseUrl);
  await migrate(database.dataSource);
  const devices = new TypeOrmDeviceRepository(database);
  const { port } = silent.address() as AddressInfo;
  const subscribe = async (instanceId: string, endpoint: string): Promise<void> => {
    const subscription = { endpoint, keys: { p256dh, auth: randomBytes(16).toString('base64url') } };
    const token = btoa(JSON.stringify(subscription));
    const { id } = await devices.register(instanceId, { platform: 'web', token, metadata: {} }, Date.now());
    await devices.addInterest(instanceId, 'web', id, 'news');
  };
  const endpoints = Array.from({ length: services }, (_, i) => `http://127.1.${i >> 8}.${i & 255}:${port}/push`);
  await Promise.all(endpoints.map((endpoint) => subscribe(hostile, endpoint)));
  for (let i = 0; i < 5; i += 1) await subscribe(other, lively.url(`/push/${i}`));
  await database.dataSource.destroy();
}

/** Publishes to the five, again and again, and tells how long it took from the request until all five had theirs. */
async function tell(when: string): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = lively.received.length;
    const start = performance.now();
    await publish(other);
    while (lively.received.length < before + 5) await pause(1);
    times.push(performance.now() - start);
    await pause(500);
  }
  const [median, worst] = [2, 4].map((at) => times.toSorted((a, b) => a - b)[at]?.toFixed(0));
  console.log(`Five devices ${when}: ${median} ms in the median, ${worst} ms at worst, of ${rounds} publishes`);
}

async function publish(id: string): Promise<string> {
  const { publishId } = await call(`/publish_api/v1/instances/${id}/publishes/interests`, {
    interests: ['news'],
    web: { notification: { title: 'hi' } },
  });
  return publishId as string;
}

async function finished(publishId: string): Promise<void> {
  const path = `/publish_api/v1/instances/${other}/publishes/${publishId}`;
  while ((await call(path)).state !== 'finished') await pause(20);
}

async function call(path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(server.url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}
